"""PersistentVolumeClaim: a request for storage that outlives pods."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import names, quantity, schemas
from sidings.api.fields import FieldError, forbidden, invalid, not_supported, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import CLAIMS

FINALIZER = "kubernetes.io/pvc-protection"
ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
MODE_LETTERS = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
IMMUTABLE = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"


def access_modes_text(modes: list[str]) -> str:
    """``RWO,RWX`` in upstream's fixed order."""
    return ",".join(letters for mode, letters in MODE_LETTERS.items() if mode in modes)


VOLUME_MODES = ("Block", "Filesystem")


class ClaimRules(Rules):
    def default(self, obj: Object) -> None:
        obj.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")
        obj.setdefault("status", {}).setdefault("phase", "Pending")

    def default_on_create(self, obj: Object) -> None:
        # What the admission plug-in StorageObjectInUseProtection adds.
        finalizers = obj["metadata"].setdefault("finalizers", [])
        if FINALIZER not in finalizers:
            obj["metadata"]["finalizers"] = [*finalizers, FINALIZER]
        obj["status"] = {"phase": "Pending"}

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]

    def validate(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        errors = []
        modes = spec.get("accessModes") or []
        if not modes:
            errors.append(required("spec.accessModes", "at least 1 access mode is required"))
        errors += [not_supported("spec.accessModes", mode, ACCESS_MODES) for mode in modes if mode not in ACCESS_MODES]
        if "ReadWriteOncePod" in modes and len(modes) > 1:
            detail = "may not use ReadWriteOncePod with other access modes"
            errors.append(forbidden("spec.accessModes", detail))
        storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
        if storage is None:
            errors.append(required("spec.resources[storage]"))
        elif quantity.parse(storage) <= 0:
            errors.append(invalid("spec.resources[storage]", storage, "must be greater than zero"))
        if spec["volumeMode"] not in VOLUME_MODES:
            errors.append(not_supported("spec.volumeMode", spec["volumeMode"], VOLUME_MODES))
        name = spec.get("storageClassName")
        if name:
            errors += [invalid("spec.storageClassName", name, text) for text in names.dns1123_subdomain(name)]
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        before, after = dict(old["spec"]), dict(new["spec"])
        if before.get("volumeName"):
            for spec in (before, after):
                spec.pop("resources", None)
                spec.pop("volumeAttributesClassName", None)
        else:
            # Binding writes the volume's name; nothing else may change before it.
            before.pop("volumeName", None)
            after.pop("volumeName", None)
        return [forbidden("spec", IMMUTABLE)] if before != after else []


def _status(obj: Object, now: datetime) -> Any:
    return "Terminating" if obj["metadata"].get("deletionTimestamp") else (obj.get("status") or {}).get("phase") or ""


def _bound(obj: Object) -> bool:
    return bool((obj.get("spec") or {}).get("volumeName"))


def _capacity(obj: Object, now: datetime) -> Any:
    return ((obj.get("status") or {}).get("capacity") or {}).get("storage", "") if _bound(obj) else ""


def _access_modes(obj: Object, now: datetime) -> Any:
    return access_modes_text((obj.get("status") or {}).get("accessModes") or []) if _bound(obj) else ""


KIND = Kind(
    resource=CLAIMS,
    singular="persistentvolumeclaim",
    schema=schemas.schema(CLAIMS.group, CLAIMS.version, CLAIMS.kind),
    builtin=True,
    rules=ClaimRules(),
    short_names=("pvc",),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("Status", cell=_status, description="Pending, Bound, Lost or Terminating."),
        Column("Volume", cell=columns.field("spec", "volumeName"), description="The volume it is bound to."),
        Column("Capacity", cell=_capacity, description="Size of that volume."),
        Column("Access Modes", cell=_access_modes, description="How that volume may be mounted."),
        Column("StorageClass", cell=columns.field("spec", "storageClassName"), description="Class it asks for."),
        Column(
            "VolumeAttributesClass",
            cell=columns.field("spec", "volumeAttributesClassName", missing=columns.UNSET),
            description="Attributes class it asks for.",
        ),
        columns.AGE,
        Column(
            "VolumeMode",
            cell=columns.field("spec", "volumeMode", missing=columns.UNSET),
            priority=1,
            description="Filesystem or Block.",
        ),
    ),
    generation=False,
)
