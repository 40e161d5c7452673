"""The PersistentVolume behind a claim.

Capacity is what was asked for, and is not enforced: a directory has no quota. That is said on the volume.
"""

from __future__ import annotations

from pathlib import PurePath

from sidings.api.objects import Object, name_of, namespace_of, uid_of
from sidings.api.resources import VOLUMES

PROVISIONER = "sidings.dev/directory"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
NOT_ENFORCED = "sidings.dev/capacity"


def directory_of(claim: Object, root: PurePath) -> PurePath:
    """Where a claim's files lie: ``<root>/<namespace>_<name>_<uid>``. With the uid, a claim that is made anew under
    an old name never sees the old one's files."""
    return root / f"{namespace_of(claim)}_{name_of(claim)}_{uid_of(claim)}"


def name_for(claim: Object) -> str:
    return f"pvc-{uid_of(claim)}"


def volume_for(claim: Object, root: PurePath) -> Object:
    """The PersistentVolume for ``claim``, bound to it from the start."""
    spec = claim["spec"]
    return {
        "apiVersion": VOLUMES.api_version,
        "kind": VOLUMES.kind,
        "metadata": {
            "name": name_for(claim),
            "annotations": {PROVISIONED_BY: PROVISIONER, NOT_ENFORCED: "requested, not enforced"},
        },
        "spec": {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "accessModes": spec["accessModes"],
            "persistentVolumeReclaimPolicy": "Delete",
            "volumeMode": "Filesystem",
            **({"storageClassName": spec["storageClassName"]} if spec.get("storageClassName") else {}),
            "hostPath": {"path": str(directory_of(claim, root)), "type": "DirectoryOrCreate"},
            "claimRef": {
                "apiVersion": claim["apiVersion"],
                "kind": claim["kind"],
                "namespace": namespace_of(claim),
                "name": name_of(claim),
                "uid": uid_of(claim),
            },
        },
        "status": {"phase": "Bound"},
    }
