import pytest

from sidings.node.lifecycle import Step, back_off, back_off_left, next_step
from sidings.node.sandbox.spec import Attempt
from tests.node.pods import container, pod


def _ended(number: int, code: int, at: float = 100, ran: float = 1) -> Attempt:
    return Attempt(number, at - ran, at, code)


RUNNING = Attempt(0, 90)


def test_all_containers_start_at_once() -> None:
    assert next_step(pod(container("a"), container("b")), {}, 100) == Step(start=("a", "b"))


def test_init_containers_come_first_one_by_one() -> None:
    inits = pod(initContainers=[container("i"), container("j")])
    assert next_step(inits, {}, 100).start == ("i",)
    assert next_step(inits, {"i": [RUNNING]}, 100) == Step()
    assert next_step(inits, {"i": [_ended(0, 0)]}, 100).start == ("j",)
    assert next_step(inits, {"i": [_ended(0, 0)], "j": [_ended(0, 0)]}, 100).start == ("c",)


def test_a_failed_init_container_fails_a_pod_that_is_not_restarted() -> None:
    inits = pod(initContainers=[container("i")])
    assert next_step(inits, {"i": [_ended(0, 1)]}, 100) == Step(phase="Failed")


def test_containers_may_have_policies_of_their_own() -> None:
    own = pod(container("a", restartPolicy="OnFailure"), container("b"), restartPolicy="Never")
    assert next_step(own, {"a": [_ended(0, 1)], "b": [_ended(0, 0)]}, 100) == Step(start=("a",))
    assert next_step(own, {"a": [_ended(0, 0)], "b": [_ended(0, 1)]}, 100) == Step(phase="Failed")
    rules = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}]
    init = pod(initContainers=[container("i", restartPolicy="Never", restartPolicyRules=rules)], restartPolicy="Always")
    assert next_step(init, {"i": [_ended(0, 42)]}, 100).start == ("i",)
    assert next_step(init, {"i": [_ended(0, 1)]}, 100) == Step(phase="Failed")


def test_a_failed_init_container_is_restarted_under_on_failure() -> None:
    inits = pod(initContainers=[container("i")], restartPolicy="OnFailure")
    assert next_step(inits, {"i": [_ended(0, 1)]}, 100).start == ("i",)


@pytest.mark.parametrize(
    ("policy", "code", "expected"),
    [
        ("Never", 0, Step(phase="Succeeded")),
        ("Never", 1, Step(phase="Failed")),
        ("OnFailure", 0, Step(phase="Succeeded")),
        ("OnFailure", 1, Step(start=("c",))),
        ("Always", 0, Step(start=("c",))),
        ("Always", 1, Step(start=("c",))),
    ],
)
def test_restart_policy_decides_what_an_end_means(policy: str, code: int, expected: Step) -> None:
    assert next_step(pod(restartPolicy=policy), {"c": [_ended(0, code)]}, 100) == expected


def test_one_failed_container_of_two_fails_the_pod_once_both_ended() -> None:
    two = pod(container("a"), container("b"))
    assert next_step(two, {"a": [_ended(0, 1)], "b": [RUNNING]}, 100) == Step()
    assert next_step(two, {"a": [_ended(0, 1)], "b": [_ended(0, 0)]}, 100) == Step(phase="Failed")


def test_a_sidecar_only_has_to_start_and_is_stopped_at_the_end() -> None:
    sidecar = pod(initContainers=[container("s", restartPolicy="Always")])
    assert next_step(sidecar, {}, 100).start == ("s",)
    assert next_step(sidecar, {"s": [RUNNING]}, 100).start == ("c",)
    assert next_step(sidecar, {"s": [RUNNING], "c": [_ended(0, 0)]}, 100) == Step(stop=("s",))
    assert next_step(sidecar, {"s": [_ended(0, 143)], "c": [_ended(0, 0)]}, 100) == Step(phase="Succeeded")


def test_a_sidecar_that_ends_early_is_started_again() -> None:
    sidecar = pod(initContainers=[container("s", restartPolicy="Always")])
    assert next_step(sidecar, {"s": [_ended(0, 1)], "c": [RUNNING]}, 100).start == ("s",)


def test_back_off_is_nothing_then_ten_seconds_doubling_to_five_minutes() -> None:
    delays = [back_off([_ended(n, 1) for n in range(count)]) for count in range(1, 9)]
    assert delays == [0, 10, 20, 40, 80, 160, 300, 300]


def test_back_off_starts_anew_after_ten_minutes_of_running() -> None:
    attempts = [_ended(n, 1) for n in range(5)]
    assert back_off([*attempts, _ended(5, 1, ran=600)]) == 10


def test_a_container_in_back_off_waits_for_the_rest_of_it() -> None:
    attempts = [_ended(0, 1, at=50), _ended(1, 1, at=100)]
    assert back_off_left(attempts, 103) == 7
    assert next_step(pod(restartPolicy="Always"), {"c": attempts}, 103) == Step(wait_seconds=7)
    assert next_step(pod(restartPolicy="Always"), {"c": attempts}, 110).start == ("c",)


def test_a_sidecar_with_a_startup_probe_holds_the_others_back_until_it_has_passed() -> None:
    sidecar = pod(initContainers=[container("s", restartPolicy="Always", startupProbe={"exec": {}})])
    assert next_step(sidecar, {"s": [RUNNING]}, 100, lambda name: False) == Step()
    assert next_step(sidecar, {"s": [RUNNING]}, 100, lambda name: True).start == ("c",)
    assert next_step(sidecar, {"s": [_ended(0, 137)]}, 100, lambda name: False).start == ("s",)
    assert next_step(sidecar, {"s": [RUNNING], "c": [RUNNING]}, 100, lambda name: False) == Step()


def test_a_container_that_failed_a_probe_has_failed_whatever_its_exit_code() -> None:
    restarted = pod(restartPolicy="OnFailure")
    assert next_step(restarted, {"c": [_ended(0, 0)]}, 100).phase == "Succeeded"
    assert next_step(restarted, {"c": [_ended(0, 0)]}, 100, unwell={"c": 0}).start == ("c",)
    assert next_step(restarted, {"c": [_ended(0, 1), _ended(1, 0)]}, 100, unwell={"c": 0}).phase == "Succeeded"
