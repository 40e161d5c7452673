from datetime import timedelta

from sidings.api.job import labels
from sidings.controllers.job import per_index
from tests.controllers.job.jobs import NOW, make_job, make_pod


def failed(index: int, failures: int = 0, ignored: int = 0, *, ended: float = 0, uid: str = "") -> dict:
    annotations = {labels.INDEX_FAILURE_COUNT: str(failures)}
    if ignored:
        annotations[labels.INDEX_IGNORED_FAILURE_COUNT] = str(ignored)
    return make_pod(index, "Failed", annotations=annotations, ended=ended, uid=uid)


def test_an_index_fails_when_its_counted_failures_exceed_the_limit() -> None:
    job = make_job(completions=3, backoffLimitPerIndex=1)
    assert per_index.newly_failed(job, [failed(0, 0), failed(1, 1), make_pod(2)]) == {1}


def test_fail_index_needs_no_limit() -> None:
    rule = {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1]}}
    job = make_job(completions=1, backoffLimitPerIndex=5, podFailurePolicy={"rules": [rule]})
    assert per_index.newly_failed(job, [failed(0)]) == {0}


def test_an_ended_pod_that_is_recorded_fails_no_index_again() -> None:
    job = make_job(completions=1, backoffLimitPerIndex=0)
    assert per_index.newly_failed(job, [make_pod(0, "Failed", tracked=False)]) == set()


def test_the_pod_with_the_highest_count_is_kept_until_its_index_is_retried() -> None:
    job = make_job(completions=2, backoffLimitPerIndex=9)
    first, second = failed(0, 0, uid="first"), failed(0, 1, uid="second")
    assert per_index.delayed(job, [second, first], frozenset()) == {0: second}
    assert per_index.delayed(job, [first, second], frozenset({0})) == {}


def test_every_index_waits_for_itself() -> None:
    kept = {0: failed(0, 0, ended=-10), 1: failed(1, 1, ended=-10)}
    assert per_index.ready_to_retry([0, 1, 2], kept, NOW) == ([0, 2], 0)
    assert per_index.ready_to_retry([1], kept, NOW) == ([], 10)
    assert per_index.ready_to_retry([1], kept, NOW + timedelta(seconds=10)) == ([1], 0)
    assert per_index.ready_to_retry([], kept, NOW) == ([], 0)


def test_a_replacement_carries_the_counts_on() -> None:
    ignoring = {"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}}]}
    counting, lenient = make_job(completions=1), make_job(completions=1, podFailurePolicy=ignoring)
    assert per_index.annotations_for(None, counting) == {labels.INDEX_FAILURE_COUNT: "0"}
    assert per_index.annotations_for(failed(0, 1, 2), counting) == {
        labels.INDEX_FAILURE_COUNT: "2",
        labels.INDEX_IGNORED_FAILURE_COUNT: "2",
    }
    assert per_index.annotations_for(failed(0, 1, 2), lenient) == {
        labels.INDEX_FAILURE_COUNT: "1",
        labels.INDEX_IGNORED_FAILURE_COUNT: "3",
    }
