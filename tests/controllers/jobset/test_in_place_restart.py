"""Cases N1 to N6: containers start again in their pods, together."""

import pytest

from sidings.api.feature_gates import ALL
from sidings.api.jobset import labels
from sidings.api.objects import Object
from sidings.controllers.jobset import in_place_restart
from sidings.controllers.jobset.in_place_restart import Attempts
from tests.controllers.jobset.cluster import Cluster, group, make_jobset


def jobset(max_restarts: int = 2, restarts: int = 0, towards_max: int = 0) -> Object:
    policy = {"maxRestarts": max_restarts, "restartStrategy": "InPlaceRestart"}
    made = make_jobset(group("a", 2), failurePolicy=policy)
    return {**made, "status": {"restarts": restarts, "restartsCountTowardsMax": towards_max}}


def pod(attempt: str | None, restarts: int = 0, phase: str = "Running") -> Object:
    annotations = {} if attempt is None else {labels.IN_PLACE_RESTART_ATTEMPT: attempt}
    status = {"phase": phase, "containerStatuses": [{"name": "main", "restartCount": restarts}]}
    return {"metadata": {"annotations": annotations}, "status": status}


@pytest.mark.parametrize(
    ("limits", "attempts", "exhausted"),
    [
        ((1, 0, 0), [1, 2], True),
        ((1, 1, 1), [1, 2], True),
        ((1, 2, 1), [2, 3], True),
        ((2, 0, 0), [1, 2], False),
        ((2, 1, 1), [1, 2], False),
        ((1, 2, 1), [1, 2], False),
    ],
)
def test_attempts_beyond_the_maximum(limits: tuple[int, int, int], attempts: list[int], exhausted: bool) -> None:
    assert in_place_restart.is_exhausted(jobset(*limits), attempts) is exhausted


@pytest.mark.parametrize(
    ("before", "attempts", "after"),
    [
        (Attempts(), [0, 0], Attempts(current=0)),
        (Attempts(0, 0), [1, 1], Attempts(1, 0)),
        (Attempts(), [0], Attempts()),
        (Attempts(0), [0, 1], Attempts(0, 0)),
        (Attempts(1, 0), [1, 2], Attempts(1, 1)),
        (Attempts(1, 1), [1, 2], Attempts(1, 1)),
        (Attempts(), [], Attempts()),
    ],
)
def test_the_barrier(before: Attempts, attempts: list[int], after: Attempts) -> None:
    assert in_place_restart.advance(jobset(), attempts, before) == after


def test_failed_and_silent_pods_are_left_out() -> None:
    assert in_place_restart.attempts_of([pod("1"), pod(None), pod("7", phase="Failed")]) == [1]


def test_the_first_to_start_again_are_ahead() -> None:
    pods = [pod("1"), pod("2"), pod(None), pod("2"), pod("3", phase="Failed")]
    assert in_place_restart.foremost(pods) == [pods[1], pods[3]]
    assert in_place_restart.foremost([pod(None)]) == []


@pytest.mark.parametrize("text", ["x", "-1", ""])
def test_an_attempt_that_is_no_number(text: str) -> None:
    with pytest.raises(in_place_restart.InvalidAttempt, match="must be non-negative integer"):
        in_place_restart.attempts_of([pod(text)])


def test_a_container_that_starts_too_often() -> None:
    assert not in_place_restart.container_is_exhausted(jobset(1), [pod("0", restarts=1)])
    assert in_place_restart.container_is_exhausted(jobset(1), [pod("x", restarts=2)])


def test_the_status_follows_the_pods() -> None:
    cluster = Cluster(jobset(1), ALL).settle()
    cluster.pods = [pod("0"), pod("1")]
    assert cluster.settle().status["previousInPlaceRestartAttempt"] == 0
    cluster.pods = [pod("1"), pod("1")]
    assert cluster.settle().status["currentInPlaceRestartAttempt"] == 1
    cluster.pods = [pod("1"), pod("2")]
    assert cluster.settle().condition("Failed") == ("True", "ReachedMaxRestarts")
    assert cluster.living == []


def test_a_bad_annotation_keeps_the_status_back() -> None:
    cluster = Cluster(jobset(), ALL)
    cluster.pods = [pod("x")]
    assert cluster.settle().failure == in_place_restart.INVALID_ATTEMPT
    assert cluster.living == ["js-a-0", "js-a-1"]
    assert cluster.status.get("replicatedJobsStatus") is None
