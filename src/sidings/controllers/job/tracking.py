"""Counting each pod's end exactly once (KEP-2307, ``trackJobStatusAndRemoveFinalizers`` in job_controller.go, 1.36).

First the end is noted in the status: as a UID in ``uncountedTerminatedPods``, or, for a success of an Indexed Job, in
``completedIndexes``, where noting twice does no harm. Only then does the pod lose its finalizer. A later pass, which
sees a noted pod without finalizer (or no such pod any more), moves it from the notes to the counters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sidings.api import objects
from sidings.api.job import indexes
from sidings.api.objects import Object
from sidings.controllers.job import pod_failure_policy, pods
from sidings.controllers.job.snapshot import Snapshot
from sidings.controllers.job.tally import Tally
from sidings.controllers.job.verdict import FAILURE_TARGET, Verdict

MOST_UNCOUNTED = 500
"""Ends noted in one pass; keeps the status small."""


@dataclass(frozen=True)
class Tracking:
    """``status`` holds every counter field of the Job's new status; ``release`` the pods that it has noted."""

    status: dict[str, Any]
    release: list[Object]
    complete: bool
    """No end is left to be noted or counted."""


def track(snapshot: Snapshot, tally: Tally, ending: Verdict | None) -> Tracking:
    """Note new ends and count noted ones.

    A Job that is ``ending`` releases all of its pods; where it fails, those that still run count as failed.
    """
    failing = ending is not None and ending.type == FAILURE_TARGET
    job, old = snapshot.job, snapshot.job.get("status") or {}
    noted = old.get("uncountedTerminatedPods") or {}
    tracked = {objects.uid_of(pod) for pod in snapshot.pods if pods.is_tracked(pod)}
    succeeded, succeeded_count = _count(noted.get("succeeded") or (), int(old.get("succeeded") or 0), tracked)
    failed, failed_count = _count(noted.get("failed") or (), int(old.get("failed") or 0), tracked)
    new_indexes: set[int] = set()
    release: list[Object] = []
    for pod in snapshot.pods:
        if not pods.is_tracked(pod) or not (ending or _may_be_released(snapshot, tally, pod)):
            continue
        release.append(pod)
        uid = objects.uid_of(pod)
        if pods.has_succeeded(pod) and uid not in failed:
            if pods.is_indexed(job):
                if (index := pods.index_in(pod, job)) is not None and index not in tally.recorded_indexes:
                    new_indexes.add(index)
            elif uid not in succeeded:
                succeeded.append(uid)
        elif (pods.has_failed(pod, job) or failing) and uid not in failed and _counts(job, pod):
            failed.append(uid)
        if len(new_indexes) + len(succeeded) + len(failed) >= MOST_UNCOUNTED:
            break
    status: dict[str, Any] = {"uncountedTerminatedPods": _notes(succeeded, failed), "failed": failed_count}
    if pods.is_indexed(job):
        done = tally.recorded_indexes | new_indexes
        status["completedIndexes"] = indexes.to_text(done)
        status["succeeded"] = len(done)
        if tally.failed_indexes is not None:
            status["failedIndexes"] = indexes.to_text(tally.failed_indexes)
    else:
        status["succeeded"] = succeeded_count
    return Tracking(status, release, complete=not (release or succeeded or failed))


def _count(notes: Any, counter: int, tracked: set[str]) -> tuple[list[str], int]:
    """(the UIDs that stay noted, the counter with those whose pods are released)."""
    left = [uid for uid in notes if uid in tracked]
    return left, counter + len(notes) - len(left)


def _may_be_released(snapshot: Snapshot, tally: Tally, pod: Object) -> bool:
    if objects.is_deleting(snapshot.job) or pods.has_succeeded(pod):
        return True
    if not pods.has_failed(pod, snapshot.job):
        return False
    return not any(objects.uid_of(pod) == objects.uid_of(kept) for kept in (tally.delayed or {}).values())


def _counts(job: Object, pod: Object) -> bool:
    return pods.counts_for(pod, job) and pod_failure_policy.counts(job, pod)


def _notes(succeeded: list[str], failed: list[str]) -> dict[str, list[str]]:
    return {key: uids for key, uids in (("succeeded", succeeded), ("failed", failed)) if uids}
