from typing import Any

import pytest

from sidings.controllers.job import pod_failure_policy
from tests.controllers.job.jobs import make_job, make_pod


def job_with(*rules: Any) -> dict:
    return make_job(podFailurePolicy={"rules": list(rules)})


def on_exit_codes(action: str, operator: str, *values: int, **more: Any) -> dict:
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(values), **more}}


ON_DISRUPTION = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


@pytest.mark.parametrize(
    ("rule", "exit_code", "matches"),
    [
        (on_exit_codes("FailJob", "In", 42), 42, True),
        (on_exit_codes("FailJob", "In", 42), 1, False),
        (on_exit_codes("FailJob", "NotIn", 42), 1, True),
        (on_exit_codes("FailJob", "NotIn", 42), 42, False),
        (on_exit_codes("FailJob", "NotIn", 42), 0, False),
        (on_exit_codes("FailJob", "In", 42, containerName="main"), 42, True),
        (on_exit_codes("FailJob", "In", 42, containerName="other"), 42, False),
    ],
)
def test_exit_codes(rule: dict, exit_code: int, matches: bool) -> None:
    outcome = pod_failure_policy.judge(job_with(rule), make_pod(phase="Failed", exit_code=exit_code))
    assert (outcome.action == "FailJob") is matches


def test_the_message_names_container_pod_code_and_rule() -> None:
    job = job_with(ON_DISRUPTION, on_exit_codes("FailJob", "In", 42))
    pod = make_pod(phase="Failed", exit_code=42, uid="p")
    assert pod_failure_policy.job_failure(job, [pod]) == (
        "Container main for pod ns/p failed with exit code 42 matching FailJob rule at index 1"
    )


def test_the_message_names_the_condition() -> None:
    job = job_with({"action": "FailJob", "onPodConditions": [{"type": "ConfigIssue", "status": "True"}]})
    pod = make_pod(phase="Failed", uid="p", conditions=[{"type": "ConfigIssue", "status": "True"}])
    assert pod_failure_policy.job_failure(job, [pod]) == (
        "Pod ns/p has condition ConfigIssue matching FailJob rule at index 0"
    )


def test_the_first_matching_rule_decides() -> None:
    job = job_with(on_exit_codes("Count", "In", 1), on_exit_codes("FailJob", "In", 1))
    pod = make_pod(phase="Failed", exit_code=1)
    assert pod_failure_policy.judge(job, pod).action == "Count"
    assert pod_failure_policy.job_failure(job, [pod]) == ""


def test_only_ignored_failures_do_not_count() -> None:
    disrupted = make_pod(phase="Failed", conditions=[{"type": "DisruptionTarget", "status": "True"}])
    job = job_with(ON_DISRUPTION)
    assert not pod_failure_policy.counts(job, disrupted)
    assert pod_failure_policy.counts(job, make_pod(phase="Failed"))


def test_a_running_pod_fails_no_job() -> None:
    job = job_with({"action": "FailJob", "onPodConditions": [{"type": "Bad", "status": "True"}]})
    assert pod_failure_policy.job_failure(job, [make_pod(conditions=[{"type": "Bad", "status": "True"}])]) == ""
