"""``dependsOn``: a group's Jobs are created, and resumed, only when the groups that it names are far enough."""

from __future__ import annotations

from collections.abc import Mapping

from sidings.api.objects import Object
from sidings.controllers.jobset import statuses


def met(jobset: Object, replicated_job: Object, by_name: Mapping[str, Object]) -> bool:
    """Whether every dependency holds now: ``Complete``, all Jobs succeeded; ``Ready``, all ready or finished."""
    replicated_jobs = {other["name"]: other for other in jobset["spec"].get("replicatedJobs") or ()}
    return all(
        _holds(replicated_jobs[dependency["name"]], dependency["status"], by_name.get(dependency["name"]))
        for dependency in replicated_job.get("dependsOn") or ()
    )


def _holds(target: Object, wanted: str, status: Object | None) -> bool:
    if status is None:
        return False
    if wanted == "Complete":
        return bool(target["replicas"] == status["succeeded"])
    return statuses.has_started(target, status)
