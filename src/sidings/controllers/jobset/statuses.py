"""``status.replicatedJobsStatus``: how many Jobs of each group are ready, active, suspended, succeeded, failed.

The first three overlap and none of them counts a finished Job. A Job in back-off reports no active pods, so a group may
for a while show fewer Jobs than it has. With the gate RestartJob the entries keep the counters of ``job_restarts``.
"""

from __future__ import annotations

from typing import Any

from sidings.api import objects
from sidings.api.feature_gates import NONE, FeatureGates, Gate
from sidings.api.jobset import labels
from sidings.api.objects import Object
from sidings.controllers.jobset import job_restarts
from sidings.controllers.jobset.snapshot import Children

_COUNTS = ("ready", "succeeded", "failed", "active", "suspended")


def compute(jobset: Object, children: Children, gates: FeatureGates = NONE) -> list[Object]:
    """The entries of all groups in the spec, by name descending, as upstream stores them."""
    counts = {
        replicated_job["name"]: dict.fromkeys(_COUNTS, 0)
        for replicated_job in jobset["spec"].get("replicatedJobs") or ()
    }

    def add(job: Object, what: str) -> None:
        group = objects.labels_of(job).get(labels.REPLICATED_JOB_NAME, "")
        if group in counts:
            counts[group][what] += 1

    for job in children.successful:
        add(job, "succeeded")
    for job in children.failed:
        add(job, "failed")
    for job in children.active:
        status = job.get("status") or {}
        if is_ready(job):
            add(job, "ready")
        if status.get("active"):
            add(job, "active")
        if job["spec"].get("suspend"):
            add(job, "suspended")
    keeps = Gate.RESTART_JOB in gates
    return [
        {"name": name, **counts[name], **(job_restarts.carried_over(jobset, name) if keeps else {})}
        for name in sorted(counts, reverse=True)
    ]


def is_ready(job: Object) -> bool:
    """All pods that the Job runs at once are ready or have succeeded."""
    spec, status = job["spec"], job.get("status") or {}
    wanted = int(spec["parallelism"])
    if spec.get("completions") is not None:
        wanted = min(wanted, int(spec["completions"]))
    return int(status.get("ready") or 0) + int(status.get("succeeded") or 0) >= wanted


def by_name(statuses: list[Object]) -> dict[str, Any]:
    return {status["name"]: status for status in statuses}


def has_started(replicated_job: Object, status: Object | None) -> bool:
    """Every Job of the group is ready or finished."""
    if status is None:
        return False
    return bool(replicated_job["replicas"] == status["failed"] + status["ready"] + status["succeeded"])
