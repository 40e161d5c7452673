"""ClusterQueue: ``cohort``, ``admissionChecks`` and the older words of flavor fungibility."""

from __future__ import annotations

from sidings.api.objects import Object

_FUNGIBILITY = {"Borrow": "MayStopSearch", "Preempt": "MayStopSearch"}


def to_stored(obj: Object) -> Object:
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return obj
    spec = dict(spec)
    if "cohort" in spec:
        spec["cohortName"] = spec.pop("cohort")
    if checks := spec.pop("admissionChecks", None):
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": name} for name in checks]}
    fungibility = spec.get("flavorFungibility")
    if isinstance(fungibility, dict):
        spec["flavorFungibility"] = {key: _FUNGIBILITY.get(value, value) for key, value in fungibility.items()}
    return _without_pending({**obj, "spec": spec})


def from_stored(obj: Object) -> Object:
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return obj
    spec = {key: value for key, value in spec.items() if key != "concurrentAdmissionPolicy"}
    if "cohortName" in spec:
        spec["cohort"] = spec.pop("cohortName")
    return {**obj, "spec": spec}


def _without_pending(obj: Object) -> Object:
    """v1beta2 lists pending workloads in the visibility API alone."""
    status = obj.get("status")
    if not isinstance(status, dict) or "pendingWorkloadsStatus" not in status:
        return obj
    return {**obj, "status": {key: value for key, value in status.items() if key != "pendingWorkloadsStatus"}}
