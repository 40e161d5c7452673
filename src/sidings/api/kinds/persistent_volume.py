"""PersistentVolume: storage that a claim is bound to."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import schemas
from sidings.api.fields import FieldError, not_supported, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.kinds.persistent_volume_claim import ACCESS_MODES, access_modes_text
from sidings.api.objects import Object
from sidings.api.resources import VOLUMES

RECLAIM_POLICIES = ("Delete", "Recycle", "Retain")


class VolumeRules(Rules):
    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
        spec.setdefault("volumeMode", "Filesystem")
        if "hostPath" in spec:
            spec["hostPath"].setdefault("type", "")
        obj.setdefault("status", {}).setdefault("phase", "Pending")

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]

    def validate(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        errors = []
        modes = spec.get("accessModes") or []
        if not modes:
            errors.append(required("spec.accessModes"))
        errors += [not_supported("spec.accessModes", mode, ACCESS_MODES) for mode in modes if mode not in ACCESS_MODES]
        capacity = spec.get("capacity") or {}
        if not capacity:
            errors.append(required("spec.capacity"))
        elif set(capacity) != {"storage"}:
            errors.append(not_supported("spec.capacity", sorted(capacity), ["storage"]))
        policy = spec["persistentVolumeReclaimPolicy"]
        if policy not in RECLAIM_POLICIES:
            errors.append(not_supported("spec.persistentVolumeReclaimPolicy", policy, RECLAIM_POLICIES))
        return errors


def _status(obj: Object, now: datetime) -> Any:
    return "Terminating" if obj["metadata"].get("deletionTimestamp") else (obj.get("status") or {}).get("phase") or ""


def _claim(obj: Object, now: datetime) -> Any:
    ref = (obj.get("spec") or {}).get("claimRef")
    return f"{ref.get('namespace', '')}/{ref.get('name', '')}" if ref else ""


KIND = Kind(
    resource=VOLUMES,
    singular="persistentvolume",
    schema=schemas.schema(VOLUMES.group, VOLUMES.version, VOLUMES.kind),
    builtin=True,
    rules=VolumeRules(),
    short_names=("pv",),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column(
            "Capacity",
            cell=columns.field("spec", "capacity", "storage"),
            description="Size.",
        ),
        Column(
            "Access Modes",
            cell=lambda obj, now: access_modes_text((obj.get("spec") or {}).get("accessModes") or []),
            description="How it may be mounted.",
        ),
        Column(
            "Reclaim Policy",
            cell=columns.field("spec", "persistentVolumeReclaimPolicy"),
            description="What happens after its claim.",
        ),
        Column("Status", cell=_status, description="Pending, Available, Bound, Released, Failed or Terminating."),
        Column("Claim", cell=_claim, description="Namespace and name of its claim."),
        Column("StorageClass", cell=columns.field("spec", "storageClassName"), description="Class it belongs to."),
        Column(
            "VolumeAttributesClass",
            cell=columns.field("spec", "volumeAttributesClassName", missing=columns.UNSET),
            description="Attributes class it has.",
        ),
        Column("Reason", cell=columns.field("status", "reason"), description="Why it failed."),
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
