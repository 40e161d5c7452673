"""Limits that end a running job: ``backoffLimit`` and ``activeDeadlineSeconds``.

The back-off counts container restarts of pods that run now, so a pod made anew starts from zero (upstream #2045). For
the deadline upstream arms no timer and notices it at the next event (#3358); here the pass says when to look again.
"""

from __future__ import annotations

from datetime import datetime

from sidings.api import timestamps
from sidings.api.objects import Object, is_deleting
from sidings.api.pod_phase import has_ended
from sidings.api.training_operator import words
from sidings.controllers.training_operator.snapshot import Snapshot
from sidings.controllers.training_operator.tally import phase_of

BACKOFF = "Job {name} has failed because it has reached the specified backoff limit"
DEADLINE = "Job {name} has failed because it was active longer than specified deadline"


def broken(snapshot: Snapshot, now: datetime) -> str:
    """Why the job has to end now, as a condition's message; empty where no limit is reached."""
    if backoff_is_reached(snapshot) or _fails_at_once(snapshot):
        return BACKOFF.format(name=snapshot.name)
    left = seconds_left(snapshot, now)
    return DEADLINE.format(name=snapshot.name) if left is not None and left <= 0 else ""


def seconds_left(snapshot: Snapshot, now: datetime) -> float | None:
    """Until the deadline; None where there is none or the job has not started."""
    deadline = snapshot.run_policy.get("activeDeadlineSeconds")
    start = (snapshot.job.get("status") or {}).get("startTime")
    if not isinstance(deadline, int) or not start:
        return None
    return deadline - (now - timestamps.from_text(start)).total_seconds()


def backoff_is_reached(snapshot: Snapshot) -> bool:
    limit = snapshot.run_policy.get("backoffLimit")
    if not isinstance(limit, int):
        return False
    restarts = sum(
        _restarts(pod)
        for role, replica in snapshot.roles.items()
        if replica["restartPolicy"] != words.NEVER
        for pod in snapshot.pods_of(role).values()
        if phase_of(pod) == "Running"
    )
    return restarts > 0 if limit == 0 else restarts >= limit


def _fails_at_once(snapshot: Snapshot) -> bool:
    """``backoffLimit: 0`` and a pod that has failed since the last pass."""
    if snapshot.run_policy.get("backoffLimit") != 0:
        return False
    recorded = (snapshot.job.get("status") or {}).get("replicaStatuses") or {}
    known = sum(int(entry.get("failed") or 0) for entry in recorded.values())
    failed = sum(phase_of(pod) == "Failed" for pod in snapshot.pods)
    active = sum(not has_ended(pod) and not is_deleting(pod) for pod in snapshot.pods)
    return failed > known and active != snapshot.total


def _restarts(pod: Object) -> int:
    status = pod.get("status") or {}
    containers = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return sum(int(container.get("restartCount") or 0) for container in containers)
