"""ConfigMap: up to 1 MiB of text and bytes by key.

Secret shares the rules about keys, size and ``immutable`` (``pkg/apis/core/validation``, Kubernetes v1.36).
"""

from __future__ import annotations

import base64
from datetime import datetime
from typing import Any

from sidings.api import schemas
from sidings.api.fields import FieldError, forbidden, invalid, too_long
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.names import config_map_key
from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS

MAX_SIZE = 1024 * 1024

IMMUTABLE = "field is immutable when `immutable` is set"


def key_errors(field: str, key: str) -> list[FieldError]:
    """Errors of one key in ``data`` or ``binaryData``."""
    return [invalid(f"{field}[{key}]", key, message) for message in config_map_key(key)]


def immutability_errors(new: Object, old: Object, fields: tuple[str, ...]) -> list[FieldError]:
    """Changes to an object that says ``immutable: true``; ``immutable`` itself cannot be taken back either."""
    if not old.get("immutable"):
        return []
    errors = [] if new.get("immutable") else [forbidden("immutable", IMMUTABLE)]
    return errors + [forbidden(f, IMMUTABLE) for f in fields if (new.get(f) or {}) != (old.get(f) or {})]


class ConfigMapRules(Rules):
    def validate(self, obj: Object) -> list[FieldError]:
        data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
        errors = []
        size = 0
        for key, text in data.items():
            errors += key_errors("data", key)
            if key in binary:
                errors.append(invalid(f"data[{key}]", key, "duplicate of key present in binaryData"))
            size += len(text.encode())
        for key, packed in binary.items():
            errors += key_errors("binaryData", key)
            size += len(base64.b64decode(packed))
        if size > MAX_SIZE:
            errors.append(too_long("[]", MAX_SIZE))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        return immutability_errors(new, old, ("data", "binaryData"))


def _count(obj: Object, now: datetime) -> Any:
    return len(obj.get("data") or ()) + len(obj.get("binaryData") or ())


KIND = Kind(
    resource=CONFIG_MAPS,
    singular="configmap",
    schema=schemas.schema(CONFIG_MAPS.group, CONFIG_MAPS.version, CONFIG_MAPS.kind),
    builtin=True,
    rules=ConfigMapRules(),
    short_names=("cm",),
    columns=(columns.NAME, Column("Data", cell=_count, description="Number of keys."), columns.AGE),
    generation=False,
)
