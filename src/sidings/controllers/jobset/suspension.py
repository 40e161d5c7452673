"""``spec.suspend``: all Jobs of a JobSet stand still, and later run on, perhaps elsewhere.

While a JobSet is suspended a queue may change where its pods are to run. Resuming brings these fields to the Jobs by
merging, as upstream does: a node selector that was set before stays even if the JobSet has lost it since.
"""

from __future__ import annotations

from typing import Any

from sidings.api import objects
from sidings.api.objects import Object
from sidings.controllers.jobset.jobset_conditions import SUSPENDED, Condition

HAS_SUSPENDED = Condition(SUSPENDED, "True", "SuspendedJobs", "jobset is suspended")
HAS_RESUMED = Condition(SUSPENDED, "False", "ResumeJobs", "jobset is resumed")


def suspended(job: Object) -> Object:
    """The Job, suspended."""
    return {**job, "spec": {**job["spec"], "suspend": True}}


def resumed(job: Object, replicated_job: Object) -> Object:
    """The suspended Job, running on with what its group's pod template now says about placement."""
    changed: Object = objects.copy_of(job)
    source = (replicated_job["template"].get("spec") or {}).get("template") or {}
    target = changed["spec"]["template"]
    _merge_maps(target.setdefault("metadata", {}), source.get("metadata") or {}, ("labels", "annotations"))
    _merge_maps(target["spec"], source.get("spec") or {}, ("nodeSelector",))
    for name in ("tolerations", "schedulingGates"):
        present = target["spec"].get(name) or []
        new = [item for item in (source.get("spec") or {}).get(name) or () if item not in present]
        if new:
            target["spec"][name] = [*present, *objects.copy_of(new)]
    changed["spec"]["suspend"] = False
    return changed


def without_start(job: Object) -> Object | None:
    """The Job with its clock cleared, as it must be to be resumed with another template; None where it is."""
    status = job.get("status") or {}
    if not status.get("startTime"):
        return None
    return {**job, "status": {key: value for key, value in status.items() if key != "startTime"}}


def _merge_maps(target: dict[str, Any], source: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if source.get(name):
            target[name] = {**(target.get(name) or {}), **source[name]}
