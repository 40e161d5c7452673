"""StorageClass: a name that claims may ask for. Every claim becomes a directory here, whatever its class says."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.fields import FieldError, forbidden, not_supported, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import STORAGE_CLASSES

RECLAIM_POLICIES = ("Delete", "Retain")
BINDING_MODES = ("Immediate", "WaitForFirstConsumer")


class StorageClassRules(Rules):
    def default(self, obj: Object) -> None:
        obj.setdefault("reclaimPolicy", "Delete")
        obj.setdefault("volumeBindingMode", "Immediate")

    def validate(self, obj: Object) -> list[FieldError]:
        errors = []
        if not obj.get("provisioner"):
            errors.append(required("provisioner"))
        if obj["reclaimPolicy"] not in RECLAIM_POLICIES:
            errors.append(not_supported("reclaimPolicy", obj["reclaimPolicy"], RECLAIM_POLICIES))
        if obj["volumeBindingMode"] not in BINDING_MODES:
            errors.append(not_supported("volumeBindingMode", obj["volumeBindingMode"], BINDING_MODES))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        errors = []
        if (new.get("parameters") or {}) != (old.get("parameters") or {}):
            errors.append(forbidden("parameters", "updates to parameters are forbidden."))
        for field in ("provisioner", "reclaimPolicy"):
            if new.get(field) != old.get(field):
                errors.append(forbidden(field, f"updates to {field} are forbidden."))
        return errors


KIND = Kind(
    resource=STORAGE_CLASSES,
    singular="storageclass",
    schema=schemas.schema(STORAGE_CLASSES.group, STORAGE_CLASSES.version, STORAGE_CLASSES.kind),
    builtin=True,
    rules=StorageClassRules(),
    short_names=("sc",),
    columns=(
        columns.NAME,
        Column("Provisioner", cell=columns.field("provisioner"), description="Who makes its volumes."),
        Column("ReclaimPolicy", cell=columns.field("reclaimPolicy"), description="What becomes of a released volume."),
        Column("VolumeBindingMode", cell=columns.field("volumeBindingMode"), description="When claims are bound."),
        Column(
            "AllowVolumeExpansion",
            cell=columns.field("allowVolumeExpansion", missing="false"),
            description="Whether claims may grow.",
        ),
        columns.AGE,
    ),
    generation=False,
)
