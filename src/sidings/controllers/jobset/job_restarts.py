"""Restarts of single Jobs (gate RestartJob): how often each Job of a group was restarted, and how many of these count.

The counters are lists in ``status.replicatedJobsStatus``, one number for each index of the group, absent until the
first restart. They survive a restart of the whole JobSet. A Job whose label is behind its counter is of an earlier
attempt. (pkg/controllers/failure_policy.go after v0.12.)
"""

from __future__ import annotations

from typing import Any

from sidings.api import objects
from sidings.api.jobset import labels
from sidings.api.objects import Object

RESTARTS = "jobRestarts"
TOWARDS_MAX = "jobRestartsCountTowardsMax"
COUNTERS = (RESTARTS, TOWARDS_MAX)


def of_job(jobset: Object, group: str, index: int) -> int:
    """Restarts of Job ``index`` of ``group``. Raises ``ValueError`` for an index that its list lacks."""
    counted = _entry(jobset, group).get(RESTARTS)
    if counted is None:
        return 0
    if not 0 <= index < len(counted):
        raise ValueError(f"{group} has no Job {index}")
    return int(counted[index])


def is_previous(jobset: Object, job: Object) -> bool:
    """Whether ``job`` was made before the last restart of its index; one without the label is kept."""
    found = objects.labels_of(job)
    attempt = found.get(labels.JOB_RESTART_ATTEMPT)
    if attempt is None:
        return False
    group, index = found.get(labels.REPLICATED_JOB_NAME, ""), int(found.get(labels.JOB_INDEX, "0"))
    return int(attempt) < of_job(jobset, group, index)


def towards_max(jobset: Object) -> int:
    """Restarts of all single Jobs that count towards ``maxRestarts``."""
    entries = (jobset.get("status") or {}).get("replicatedJobsStatus") or ()
    return sum(sum(entry.get(TOWARDS_MAX) or ()) for entry in entries)


def carried_over(jobset: Object, group: str) -> dict[str, list[int]]:
    """The counters of ``group``, for its next status entry."""
    entry = _entry(jobset, group)
    return {name: entry[name] for name in COUNTERS if entry.get(name)}


def count(entry: dict[str, Any], job: Object, replicas: int, names: tuple[str, ...]) -> None:
    """Count one more restart of ``job`` in the counters ``names`` of its group's status ``entry``, which changes."""
    index = int(objects.labels_of(job)[labels.JOB_INDEX])
    for name in names:
        numbers = list(entry.get(name) or [0] * replicas)
        numbers[index] += 1
        entry[name] = numbers


def _entry(jobset: Object, group: str) -> Object:
    entries = (jobset.get("status") or {}).get("replicatedJobsStatus") or ()
    return next((entry for entry in entries if entry["name"] == group), {})
