from datetime import timedelta

import pytest

from sidings.controllers.job import pods
from tests.controllers.job.jobs import NOW, at, make_job, make_pod


@pytest.mark.parametrize(
    ("pod", "policy", "failed"),
    [
        (make_pod(phase="Failed"), "TerminatingOrFailed", True),
        (make_pod(phase="Failed"), "Failed", True),
        (make_pod(deleting=True), "TerminatingOrFailed", True),
        (make_pod(deleting=True), "Failed", False),
        (make_pod(phase="Succeeded", deleting=True), "TerminatingOrFailed", False),
        (make_pod(), "TerminatingOrFailed", False),
    ],
)
def test_a_pod_being_deleted_has_failed_unless_the_job_waits_for_its_end(pod: dict, policy: str, failed: bool) -> None:
    assert pods.has_failed(pod, make_job(podReplacementPolicy=policy)) is failed


def test_a_pod_failure_policy_means_to_wait_for_the_end() -> None:
    job = make_job(podFailurePolicy={"rules": []})
    assert pods.replaces_only_failed(job)


def test_finished_at_is_the_end_of_the_last_container() -> None:
    assert pods.finished_at(make_pod(phase="Failed", ended=-3)) == NOW - timedelta(seconds=3)


def test_finished_at_without_ended_containers_is_when_the_pod_ceased_to_be_ready() -> None:
    pod = make_pod()
    pod["status"]["conditions"] = [{"type": "Ready", "status": "False", "lastTransitionTime": at(-8)}]
    assert pods.finished_at(pod) == NOW - timedelta(seconds=8)


def test_finished_at_of_a_deleted_pod_is_when_it_was_deleted() -> None:
    assert pods.finished_at(make_pod(deleting=True)) == NOW


def test_finished_at_of_a_pod_that_tells_nothing_is_its_creation() -> None:
    assert pods.finished_at(make_pod(created=-50)) == NOW - timedelta(seconds=50)


@pytest.mark.parametrize(("annotation", "index"), [("0", 0), ("12", 12), ("", None), ("x", None), ("-1", None)])
def test_completion_index(annotation: str, index: int | None) -> None:
    pod = make_pod(annotations={"batch.kubernetes.io/job-completion-index": annotation})
    assert pods.completion_index(pod) == index


def test_an_index_that_the_job_lacks_does_not_count() -> None:
    job = make_job(completions=2)
    assert pods.counts_for(make_pod(1), job)
    assert not pods.counts_for(make_pod(2), job)
    assert not pods.counts_for(make_pod(), job)
