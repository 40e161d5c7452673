"""TrainJob (Kubeflow Trainer 2.0 to 2.3): the rules that need nothing but the TrainJob itself.

The CEL rules of the CRD are here in Python, with upstream's messages. What depends on the runtime is
``api/trainer/rules``, called by the admission plug-in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from sidings.api import immutability, schemas
from sidings.api.fields import NO_PATH, FieldError, broken_rule
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.kueue import keys
from sidings.api.objects import Object, annotations_of
from sidings.api.resources import TRAIN_JOBS
from sidings.api.trainer import words
from sidings.api.trainer.generation import Generation, generation_of

SCHEMA = schemas.schema(TRAIN_JOBS.group, TRAIN_JOBS.version, TRAIN_JOBS.kind)

_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.+")
_NAME_LENGTH = 63

NAME_FORMAT = "metadata.name must match RFC 1035 DNS label format"
NAME_LENGTH = "metadata.name must be no more than 63 characters"
STORAGE_URI = "storageUri may be empty, or it must be a valid URI (scheme://...)"
MANAGED_BY = f"ManagedBy must be {words.BUILTIN_CONTROLLER} or {words.MULTIKUEUE} if set"
PROCESSES = "numProcPerNode must be greater than or equal to 1"
LAST_UPDATED = "lastUpdatedTime is required when trainerStatus is present"

_REWORDED = {
    "spec.runtimeRef": "runtimeRef is immutable",
    "spec.managedBy": "ManagedBy value is immutable",
}
"""Trainer 2.1's messages for what is immutable in both generations."""
_MUTABLE = ("spec.trainer", "spec.initializer")
"""What became immutable in Trainer 2.2."""


class TrainJobRules(Rules):
    """CEL rules and immutability of both generations of the API."""

    def validate(self, obj: Object) -> list[FieldError]:
        return [*_check_name(obj), *_check_spec(obj.get("spec") or {}), *_check_status(obj)]

    def validate_status_update(self, new: Object, old: Object) -> list[FieldError]:
        return list(_check_status(new))

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        errors = list(immutability.changes(SCHEMA, new, old))
        if Generation.V2_1 not in (generation_of(new), generation_of(old)):
            return errors
        return [
            broken_rule(error.field, new["spec"][error.field.removeprefix("spec.")], _REWORDED[error.field])
            if error.field in _REWORDED
            else error
            for error in errors
            if error.field not in _MUTABLE
        ]

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        spec = obj.get("spec") or {}
        old_fields = [field for field in ("podTemplateOverrides", "podSpecOverrides") if spec.get(field)]
        patches = [patch for patch in spec.get("runtimePatches") or () if patch.get("manager") != keys.MANAGER]
        if patches and old_fields:  # the patch of the queue is nobody's mistake
            return [
                f"spec.{old_fields[0]} is of Trainer 2.0/2.1 and spec.runtimePatches of 2.2 and later: no cluster "
                "knows both; here the overrides are applied first"
            ]
        return []


def _check_name(obj: Object) -> Iterator[FieldError]:
    name = obj["metadata"].get("name") or ""
    if not _NAME.fullmatch(name):
        yield broken_rule(NO_PATH, obj, NAME_FORMAT)
    if len(name) > _NAME_LENGTH:
        yield broken_rule(NO_PATH, obj, NAME_LENGTH)


def _check_spec(spec: Object) -> Iterator[FieldError]:
    managed_by = spec.get("managedBy")
    if managed_by is not None and managed_by not in (words.BUILTIN_CONTROLLER, words.MULTIKUEUE):
        yield broken_rule("spec.managedBy", managed_by, MANAGED_BY)
    initializer = spec.get("initializer") or {}
    for name in ("dataset", "model"):
        uri = (initializer.get(name) or {}).get("storageUri")
        if uri and not _URI.fullmatch(uri):
            yield broken_rule(f"spec.initializer.{name}.storageUri", uri, STORAGE_URI)
    processes = (spec.get("trainer") or {}).get("numProcPerNode")
    if isinstance(processes, int) and processes < 1:
        yield broken_rule("spec.trainer.numProcPerNode", processes, PROCESSES)


def _check_status(obj: Object) -> Iterator[FieldError]:
    trainer_status = (obj.get("status") or {}).get("trainerStatus")
    if trainer_status is not None and not trainer_status.get("lastUpdatedTime"):
        yield broken_rule("status.trainerStatus", trainer_status, LAST_UPDATED)


def _state(obj: Object, now: datetime) -> str:
    """Upstream shows the type of the last condition, whatever it says: ``Suspended`` for a resumed job that runs.

    A job that has not ended and that nobody has suspended says what it does, where somebody has told: a queue suspends
    those that it holds.
    """
    rows = (obj.get("status") or {}).get("conditions") or []
    last = rows[-1] if rows else {"type": "", "status": ""}
    told = annotations_of(obj).get(words.STATE) or ""
    held = last["type"] == "Suspended" and told == words.QUEUED
    return str(last["type"]) if last["status"] == "True" and not held else told


KIND = Kind(
    resource=TRAIN_JOBS,
    singular="trainjob",
    schema=SCHEMA,
    builtin=False,
    rules=TrainJobRules(),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("State", cell=_state),
        columns.DATE_AGE,
    ),
    mutating_webhook="defaulter.trainjob.trainer.kubeflow.org",
)
