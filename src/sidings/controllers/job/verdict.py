"""Whether a Job is to end, and why: the interim condition that starts its terminal sequence.

The first reason that holds wins, in the order of :func:`reach`. A verdict once written is final: a Job with
``FailureTarget`` cannot succeed any more. The sequence itself is ``completion``. Reasons and messages are those of
pkg/controller/job/job_controller.go (1.36); the limits, in the order of the API reference:

* ``backoffLimit`` is exceeded by failed pods, or, with ``restartPolicy: OnFailure``, reached by container restarts;
* ``activeDeadlineSeconds`` count from ``status.startTime``, which a suspension clears;
* ``maxFailedIndexes``, and an Indexed Job all of whose indexes ended, some of them in failure.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sidings.api import conditions, timestamps
from sidings.api.objects import Object
from sidings.controllers.job import pod_failure_policy, pods, success_policy
from sidings.controllers.job.snapshot import Snapshot
from sidings.controllers.job.tally import Tally

FAILURE_TARGET = "FailureTarget"
SUCCESS_CRITERIA_MET = "SuccessCriteriaMet"


class Verdict(NamedTuple):
    """The interim condition: ``type`` is FailureTarget or SuccessCriteriaMet."""

    type: str
    reason: str
    message: str


BACKOFF_LIMIT_EXCEEDED = Verdict(FAILURE_TARGET, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
DEADLINE_EXCEEDED = Verdict(FAILURE_TARGET, "DeadlineExceeded", "Job was active longer than specified deadline")
MAX_FAILED_INDEXES_EXCEEDED = Verdict(
    FAILURE_TARGET,
    "MaxFailedIndexesExceeded",
    "Job has exceeded the specified maximal number of failed indexes",
)
FAILED_INDEXES = Verdict(FAILURE_TARGET, "FailedIndexes", "Job has failed indexes")
COMPLETIONS_REACHED = Verdict(SUCCESS_CRITERIA_MET, "CompletionsReached", "Reached expected number of succeeded pods")


def reach(snapshot: Snapshot, tally: Tally, now: datetime) -> Verdict | None:
    """The verdict on the Job before its pods are scaled; None while it is to go on."""
    job = snapshot.job
    return (
        standing(job)
        or _pod_failure_policy(snapshot)
        or _backoff_limit(snapshot, tally)
        or _deadline(job, now)
        or _failed_indexes(job, tally)
        or _success_policy(job, tally)
    )


def completed(job: Object, tally: Tally, active: int) -> Verdict | None:
    """The verdict after scaling: enough pods succeeded. ``active`` counts those that then are.

    Without ``completions`` (a work queue) one success is enough once no pod is active any more.
    """
    completions = job["spec"].get("completions")
    if completions is None:
        return COMPLETIONS_REACHED if tally.succeeded and not active else None
    return COMPLETIONS_REACHED if tally.succeeded >= completions else None


def standing(job: Object) -> Verdict | None:
    """The verdict that the Job's status holds."""
    for type_ in (SUCCESS_CRITERIA_MET, FAILURE_TARGET):
        condition = conditions.find((job.get("status") or {}).get("conditions"), type_)
        if condition is not None and condition["status"] == "True":
            return Verdict(type_, condition.get("reason") or "", condition.get("message") or "")
    return None


def seconds_to_deadline(job: Object, now: datetime) -> float | None:
    """Seconds (may be negative) until ``activeDeadlineSeconds`` are over; None where they do not run."""
    limit = job["spec"].get("activeDeadlineSeconds")
    start = (job.get("status") or {}).get("startTime")
    if limit is None or start is None or job["spec"].get("suspend"):
        return None
    return float(limit) - (now - timestamps.from_text(start)).total_seconds()


def _pod_failure_policy(snapshot: Snapshot) -> Verdict | None:
    message = pod_failure_policy.job_failure(snapshot.job, snapshot.pods)
    return Verdict(FAILURE_TARGET, "PodFailurePolicy", message) if message else None


def _backoff_limit(snapshot: Snapshot, tally: Tally) -> Verdict | None:
    exceeded = tally.failed > snapshot.job["spec"]["backoffLimit"] or _restarted_too_often(snapshot.job, snapshot.pods)
    return BACKOFF_LIMIT_EXCEEDED if exceeded else None


def _restarted_too_often(job: Object, all_pods: Iterable[Object]) -> bool:
    if job["spec"]["template"]["spec"].get("restartPolicy") != "OnFailure":
        return False
    restarts = sum(pods.restarts(pod) for pod in all_pods if pods.phase_of(pod) in ("Running", "Pending"))
    return restarts >= max(int(job["spec"]["backoffLimit"]), 1)


def _deadline(job: Object, now: datetime) -> Verdict | None:
    seconds = seconds_to_deadline(job, now)
    return DEADLINE_EXCEEDED if seconds is not None and seconds <= 0 else None


def _failed_indexes(job: Object, tally: Tally) -> Verdict | None:
    if not tally.failed_indexes:
        return None
    most = job["spec"].get("maxFailedIndexes")
    if most is not None and len(tally.failed_indexes) > most:
        return MAX_FAILED_INDEXES_EXCEEDED
    ended = len(tally.failed_indexes) + len(tally.succeeded_indexes)
    return FAILED_INDEXES if ended >= job["spec"]["completions"] else None


def _success_policy(job: Object, tally: Tally) -> Verdict | None:
    if not pods.is_indexed(job) or not tally.succeeded_indexes:
        return None
    message = success_policy.met(job, tally.succeeded_indexes)
    return Verdict(SUCCESS_CRITERIA_MET, success_policy.REASON, message) if message else None
