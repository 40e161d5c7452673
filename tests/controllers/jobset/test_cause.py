"""Why a JobSet was restarted: pod, exit code, last line."""

import pytest

from sidings.api.job.labels import COMPLETION_INDEX
from sidings.api.objects import Object
from sidings.controllers.jobset import cause
from tests.controllers.pods import pod

JOB = {"metadata": {"name": "js-b-1"}}


def ended(name: str, code: int, moment: int, *, index: int = 0, reason: str = "Error", field: str = "state") -> Object:
    made = pod(name, phase="Failed")
    made["metadata"]["annotations"] = {COMPLETION_INDEX: str(index)}
    terminated = {"exitCode": code, "reason": reason, "finishedAt": f"2026-01-01T00:00:{moment:02}Z"}
    made["status"]["containerStatuses"] = [{"name": "main", field: {"terminated": terminated}}]
    return made


@pytest.mark.parametrize(
    ("pods", "name"),
    [
        ([ended("late", 1, 9), ended("early", 1, 3)], "early"),
        ([ended("stopped", 143, 3), ended("culprit", 1, 3, index=5)], "culprit"),
        ([ended("killed", 137, 3), ended("culprit", 1, 3, index=5)], "culprit"),
        ([ended("oom", 137, 3, reason="OOMKilled"), ended("victim", 1, 3, index=5)], "oom"),
        ([ended("b", 1, 3, index=1), ended("a", 1, 3, index=2)], "b"),
        ([ended("fine", 0, 1), ended("culprit", 1, 9)], "culprit"),
    ],
)
def test_the_first_to_fail(pods: list[Object], name: str) -> None:
    found = cause.culprit(pods)
    assert found is not None and found.pod["metadata"]["name"] == name


def test_nobody_failed() -> None:
    assert cause.culprit([ended("fine", 0, 1), pod("pending")]) is None


def test_a_container_that_was_started_again_failed_before() -> None:
    found = cause.culprit([ended("p", 3, 1, field="lastState")])
    assert found is not None and found.previous


def test_the_message() -> None:
    found = cause.culprit([ended("js-b-1-0-abcde", 3, 1)])
    text = "Job js-b-1, pod js-b-1-0-abcde: container main exited with 3 (Error)"
    assert cause.describe(JOB, found) == text
    assert cause.describe(JOB, found, "ValueError: x") == f"{text}; its last line: ValueError: x"
    assert len(cause.describe(JOB, found, "x" * 5000)) < 500


def test_the_message_where_no_job_has_failed() -> None:
    failed = ended("js-b-1-0-abcde", 3, 1, field="lastState")
    failed["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "js-b-1", "uid": "u", "controller": True}]
    found = cause.culprit([failed])
    assert found is not None
    assert cause.describe_in_place(found, "ValueError: x") == (
        "Restart in place: Job js-b-1, pod js-b-1-0-abcde: container main exited with 3 (Error); its last line: "
        "ValueError: x"
    )


def test_a_job_that_failed_without_a_pod() -> None:
    condition = {"type": "Failed", "status": "True", "reason": "DeadlineExceeded", "message": "too long"}
    assert cause.describe({**JOB, "status": {"conditions": [condition]}}, None) == (
        "Job js-b-1 failed: DeadlineExceeded: too long"
    )
