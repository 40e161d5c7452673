from sidings.answers.failure import first_failure
from sidings.answers.family import Family, families
from sidings.api.objects import Object
from tests.answers.objects import ended, job, pod


def ranks(*containers: Object) -> Family:
    child = job(None, name="j", pods=len(containers))
    pods = [pod(child, rank, "Failed", containers=[container]) for rank, container in enumerate(containers)]
    [found] = families(jobs=[child], pods=pods)
    return found


def first_rank(*containers: Object) -> int:
    failure = first_failure(ranks(*containers))
    assert failure is not None
    return int(failure.pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"])


def test_the_earliest_end_is_the_first() -> None:
    assert first_rank(ended(1, at="2026-01-01T00:00:09Z"), ended(1, at="2026-01-01T00:00:08Z")) == 1


def test_in_one_second_those_killed_from_outside_come_last() -> None:
    assert first_rank(ended(143), ended(1)) == 1
    assert first_rank(ended(137), ended(1)) == 1
    assert first_rank(ended(137, "OOMKilled"), ended(1)) == 0


def test_in_one_second_the_lowest_rank_is_the_first() -> None:
    assert first_rank(ended(1), ended(1)) == 0


def test_success_is_no_failure() -> None:
    assert first_failure(ranks(ended(0, "Completed"))) is None


def test_a_container_that_was_started_again_is_read_from_its_former_life() -> None:
    again = {
        "name": "node",
        "restartCount": 1,
        "state": {"running": {}},
        "lastState": {"terminated": {"exitCode": 3, "reason": "Error", "finishedAt": "2026-01-01T00:00:01Z"}},
    }
    failure = first_failure(ranks(again))
    assert failure is not None
    assert (failure.exit_code, failure.previous) == (3, True)
