"""``backoffLimitPerIndex``: every index of an Indexed Job has a back-off of its own.

The failures of an index are written on its pods: each replacement carries the count of its forerunners. So the last
failed pod of an index that is to be retried stays tracked until its replacement exists (*delayed* here): its annotation
is the only memory. (pkg/controller/job/backoff_utils.go and indexed_job_utils.go, 1.36.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import NamedTuple

from sidings.api.job import labels
from sidings.api.objects import Object, annotations_of
from sidings.controllers.job import backoff, pod_failure_policy, pods


class Failures(NamedTuple):
    """Failures of one index: those that count towards its limit, and those that ``podFailurePolicy`` ignores."""

    counted: int = 0
    ignored: int = 0

    @property
    def total(self) -> int:
        return self.counted + self.ignored


def has_limit(job: Object) -> bool:
    return job["spec"].get("backoffLimitPerIndex") is not None


def failures_before(pod: Object) -> Failures:
    """The failures of the pod's index before this pod."""
    annotations = annotations_of(pod)
    return Failures(
        int(annotations.get(labels.INDEX_FAILURE_COUNT) or 0),
        int(annotations.get(labels.INDEX_IGNORED_FAILURE_COUNT) or 0),
    )


def failures_with(pod: Object, job: Object) -> Failures:
    """The failures of the pod's index with the failure of this pod."""
    before = failures_before(pod)
    if pod_failure_policy.counts(job, pod):
        return Failures(before.counted + 1, before.ignored)
    return Failures(before.counted, before.ignored + 1)


def newly_failed(job: Object, all_pods: Iterable[Object]) -> set[int]:
    """The indexes that failed for good by a pod whose end was not recorded yet."""
    failed = set()
    for pod in all_pods:
        index = pods.index_in(pod, job)
        if index is None or not pods.is_tracked(pod) or not pods.has_failed(pod, job):
            continue
        outcome = pod_failure_policy.judge(job, pod)
        exhausted = failures_before(pod).counted >= job["spec"]["backoffLimitPerIndex"]
        if outcome.action == pod_failure_policy.FAIL_INDEX or (outcome.counts and exhausted):
            failed.add(index)
    return failed


def delayed(job: Object, all_pods: Iterable[Object], settled: AbstractSet[int]) -> dict[int, Object]:
    """For each index that is to be retried, its failed pod with the highest count.

    ``settled`` are the indexes that need no retry: succeeded, failed for good, or with an active pod, which carries
    the count already.
    """
    last: dict[int, Object] = {}
    for pod in all_pods:
        index = pods.index_in(pod, job)
        if index is None or index in settled or not pods.is_tracked(pod) or not pods.has_failed(pod, job):
            continue
        if index not in last or failures_before(last[index]).total <= failures_before(pod).total:
            last[index] = pod
    return last


def ready_to_retry(wanted: Iterable[int], delayed_pods: Mapping[int, Object], now: datetime) -> tuple[list[int], float]:
    """(those of the ``wanted`` indexes whose pause is over; if there are none, seconds until the first one's is)."""
    waits = {index: _remaining(delayed_pods.get(index), now) for index in wanted}
    ready = [index for index, seconds in waits.items() if not seconds]
    return ready, 0.0 if ready or not waits else min(waits.values())


def annotations_for(replaced: Object | None, job: Object) -> dict[str, str]:
    """The counts that a new pod carries in place of the pod ``replaced``, or as the first of its index."""
    failures = failures_with(replaced, job) if replaced is not None else Failures()
    counts = {labels.INDEX_FAILURE_COUNT: str(failures.counted)}
    if failures.ignored:
        counts[labels.INDEX_IGNORED_FAILURE_COUNT] = str(failures.ignored)
    return counts


def _remaining(failed: Object | None, now: datetime) -> float:
    if failed is None:
        return 0.0
    return backoff.delay(failures_before(failed).total + 1, pods.finished_at(failed), now)
