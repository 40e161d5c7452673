"""What there is to see of a JobSet, in the short words of the cases, and whether it is what a case expects."""

from __future__ import annotations

import hashlib
from typing import Any

from sidings.api import objects
from sidings.api.jobset import labels
from sidings.api.objects import Object

_LETTERS = {"ready": "r", "succeeded": "s", "failed": "f", "active": "A", "suspended": "S"}


def state(jobset: Object | None, jobs: list[Object], events: list[str]) -> Object:
    status = (jobset or {}).get("status") or {}
    living = [job for job in jobs if not objects.is_deleting(job)]
    attempts: dict[int, int] = {}
    for job in jobs:
        attempt = int(objects.labels_of(job).get(labels.RESTART_ATTEMPT, -1))
        attempts[attempt] = attempts.get(attempt, 0) + 1
    entries = status.get("replicatedJobsStatus") or []
    return {
        "gone": jobset is None,
        "generation": ((jobset or {}).get("metadata") or {}).get("generation"),
        "finished": status.get("terminalState") or "",
        "restarts": [status.get("restarts") or 0, status.get("restartsCountTowardsMax") or 0],
        "conditions": _Conditions({c["type"]: [c["status"], c["reason"]] for c in status.get("conditions") or ()}),
        "counts": {entry["name"]: _counts(entry) for entry in entries},
        "order": [entry["name"] for entry in entries],
        "jobs": sorted(map(objects.name_of, living)),
        "suspended": sorted(objects.name_of(job) for job in living if job["spec"].get("suspend")),
        "attempts": attempts,
        "job_restarts": {
            entry["name"]: [entry.get("jobRestarts"), entry.get("jobRestartsCountTowardsMax")] for entry in entries
        },
        "in_place": [status.get(f"{which}InPlaceRestartAttempt") for which in ("previous", "current")],
        "job_keys": all(objects.labels_of(job).get(labels.JOB_KEY) == _job_key(job) for job in living),
        "events": events,
        "reasons": sorted({text.split()[1] for text in events if not text.startswith("Service ")}),
        "service": jobset is not None and f"Service {objects.name_of(jobset)}" in events,
    }


def _job_key(job: Object) -> str:
    return hashlib.sha1(f"{objects.namespace_of(job)}/{objects.name_of(job)}".encode()).hexdigest()


class _Conditions(dict[str, Any]):
    """A condition that is not there is None, which a case may expect."""

    def __missing__(self, key: str) -> None:
        return None


def _counts(entry: Object) -> str:
    return " ".join(f"{letter}{entry[field]}" for field, letter in _LETTERS.items() if entry[field])


def contains(found: Any, wanted: Any) -> bool:
    """Maps may hold more than is wanted, also those in lists, and so may the list of events; all else is equal."""
    if isinstance(wanted, dict) and isinstance(found, _Conditions):
        return all(found[key] == value for key, value in wanted.items())
    if isinstance(wanted, dict) and isinstance(found, dict):
        exact = all(isinstance(key, int) for key in (*wanted, *found))
        return (not exact or found.keys() == wanted.keys()) and all(
            key in found and contains(found[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, list) and isinstance(found, list) and any(isinstance(item, dict) for item in wanted):
        return len(found) == len(wanted) and all(map(contains, found, wanted))
    if isinstance(wanted, list) and wanted and all(isinstance(item, str) and " " in item for item in wanted):
        return all(item in found for item in wanted)
    return bool(found == wanted)
