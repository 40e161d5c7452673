from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.jobset.failure_policy import Counters, decide, matches
from tests.controllers.jobset.cluster import make_jobset


def failed(
    name: str, when: int, *, reason: str = "BackoffLimitExceeded", message: str = "", group: str = "a"
) -> Object:
    condition = {
        "type": "Failed",
        "status": "True",
        "reason": reason,
        "message": message,
        "lastTransitionTime": f"2026-01-01T00:00:{when:02}Z",
    }
    return {
        "metadata": {"name": name, "labels": {"jobset.sigs.k8s.io/replicatedjob-name": group}},
        "status": {"conditions": [condition]},
    }


def rule(action: str, **fields: Any) -> Object:
    return {"action": action, "name": "r", **fields}


def jobset(max_restarts: int, *rules: Object) -> Object:
    return make_jobset(failurePolicy={"maxRestarts": max_restarts, "rules": list(rules)})


def test_r20_a_rule_is_paired_with_the_job_that_failed_first() -> None:
    late, early = failed("late", 9), failed("early", 1)
    decision = decide(jobset(1, rule("FailJobSet")), [late, early], Counters())
    assert "(first failed job: early)" in decision.condition.message


def test_r21_the_order_of_rules_beats_the_order_of_failures() -> None:
    early, late = failed("early", 1, reason="X"), failed("late", 9, reason="Y")
    rules = [rule("RestartJobSet", onJobFailureReasons=["Z"]), rule("FailJobSet", onJobFailureReasons=["Y"])]
    decision = decide(jobset(1, *rules), [early, late], Counters())
    assert decision.condition.reason == "FailJobSetFailurePolicyAction"
    assert "(first failed job: late)" in decision.condition.message


@pytest.mark.parametrize(
    ("action", "max_restarts", "before", "after", "fails"),
    [
        ("RestartJobSet", 5, (1, 1), (2, 2), False),
        ("RestartJobSet", 2, (2, 2), (2, 2), True),
        ("RestartJobSet", 2, (9, 1), (10, 2), False),
        ("RestartJobSet", -1, (0, 0), (0, 0), True),
        ("RestartJobSetAndIgnoreMaxRestarts", 1, (1, 1), (2, 1), False),
        ("FailJobSet", 9, (1, 1), (1, 1), True),
    ],
)
def test_actions(action: str, max_restarts: int, before: tuple[int, int], after: tuple[int, int], fails: bool) -> None:
    decision = decide(jobset(max_restarts, rule(action)), [failed("j", 1)], Counters(*before))
    assert decision.counters[:2] == after
    assert decision.fails is fails


def test_a_restart_names_its_action() -> None:
    decision = decide(jobset(1, rule("RestartJobSet")), [failed("j", 1)], Counters())
    assert decision.event_reason == "RestartJobSetFailurePolicyAction"
    assert decision.condition.reason == "FailurePolicy_r"
    assert decision.condition.message == "applying RestartJobSet failure policy action (first failed job: j)"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"onJobFailureReasons": ["PodFailurePolicy"]}, True),
        ({"onJobFailureReasons": ["FailedIndexes"]}, False),
        ({"onJobFailureMessagePatterns": ["exit code 4[0-9]"]}, True),
        ({"onJobFailureMessagePatterns": ["^exit"]}, False),
        ({"onJobFailureMessagePatterns": ["(", "code"]}, True),
        ({"targetReplicatedJobs": ["b"]}, False),
        ({"onJobFailureReasons": ["PodFailurePolicy"], "targetReplicatedJobs": ["a"]}, True),
    ],
)
def test_what_a_rule_leaves_out_is_any(fields: Object, expected: bool) -> None:
    job = failed("j", 1, reason="PodFailurePolicy", message="failed with exit code 42")
    assert matches(rule("FailJobSet", **fields), job) is expected
