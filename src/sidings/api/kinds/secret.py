"""Secret: like a ConfigMap, with values in base64 and a type that never changes."""

from __future__ import annotations

import base64
from datetime import datetime
from typing import Any

from sidings.api import schemas
from sidings.api.fields import FieldError, invalid, required, too_long
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.kinds.config_map import MAX_SIZE, immutability_errors, key_errors
from sidings.api.objects import Object
from sidings.api.resources import SECRETS

OPAQUE = "Opaque"

BASIC_AUTH = "kubernetes.io/basic-auth"
ACCOUNT_TOKEN = "kubernetes.io/service-account-token"
ACCOUNT_NAME = "kubernetes.io/service-account.name"
_CREDENTIALS = ("username", "password")
_REQUIRED_KEYS = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}


class SecretRules(Rules):
    def default(self, obj: Object) -> None:
        if not obj.get("type"):
            obj["type"] = OPAQUE
        # stringData exists in requests only: it wins over data and is never read back.
        plain = obj.pop("stringData", None)
        if plain:
            encoded = {key: base64.b64encode(text.encode()).decode() for key, text in plain.items()}
            obj["data"] = {**(obj.get("data") or {}), **encoded}

    def validate(self, obj: Object) -> list[FieldError]:
        data = obj.get("data") or {}
        errors = []
        for key in data:
            errors += key_errors("data", key)
        if sum(len(base64.b64decode(value)) for value in data.values()) > MAX_SIZE:
            errors.append(too_long("data", MAX_SIZE))
        errors += [required(f"data[{key}]") for key in _REQUIRED_KEYS.get(obj["type"], ()) if key not in data]
        if obj["type"] == BASIC_AUTH and not any(key in data for key in _CREDENTIALS):
            errors += [required(f"data[{key}]") for key in _CREDENTIALS]
        if obj["type"] == ACCOUNT_TOKEN and not (obj["metadata"].get("annotations") or {}).get(ACCOUNT_NAME):
            errors.append(required(f"metadata.annotations[{ACCOUNT_NAME}]"))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        errors = []
        if new["type"] != old["type"]:
            errors.append(invalid("type", new["type"], "field is immutable"))
        return errors + immutability_errors(new, old, ("data",))


def _count(obj: Object, now: datetime) -> Any:
    return len(obj.get("data") or ())


KIND = Kind(
    resource=SECRETS,
    singular="secret",
    schema=schemas.schema(SECRETS.group, SECRETS.version, SECRETS.kind),
    builtin=True,
    rules=SecretRules(),
    columns=(
        columns.NAME,
        Column("Type", cell=columns.field("type"), description="What the keys are for."),
        Column("Data", cell=_count, description="Number of keys."),
        columns.AGE,
    ),
    generation=False,
    field_labels={"type": "type"},
)
