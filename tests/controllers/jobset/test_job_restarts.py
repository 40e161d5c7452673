"""Cases C21, R24, R25 and R26: a failed Job is restarted alone."""

from typing import Any

import pytest

from sidings.api.feature_gates import ALL, NONE
from sidings.api.jobset import labels
from sidings.controllers.jobset import job_restarts
from tests.controllers.jobset.cluster import Cluster, group, make_jobset


def f1(action: str = "RestartJob", max_restarts: int = 1) -> Cluster:
    rules = [{"action": action, "onJobFailureReasons": ["PodFailurePolicy"]}]
    policy = {"maxRestarts": max_restarts, "rules": rules}
    return Cluster(make_jobset(failurePolicy=policy), ALL).settle()


def counters(cluster: Cluster, name: str) -> tuple[Any, Any]:
    entry = next(entry for entry in cluster.status["replicatedJobsStatus"] if entry["name"] == name)
    return entry.get(job_restarts.RESTARTS), entry.get(job_restarts.TOWARDS_MAX)


def attempt(cluster: Cluster, name: str) -> str:
    return str(cluster.jobs[name]["metadata"]["labels"][labels.JOB_RESTART_ATTEMPT])


def uids(cluster: Cluster) -> dict[str, str]:
    return {name: job["metadata"]["uid"] for name, job in cluster.jobs.items()}


def test_only_the_failed_job_is_made_again() -> None:
    cluster = f1()
    before = uids(cluster)
    cluster.fail("js-b-1", reason="PodFailurePolicy").finalize()
    changed = {name for name, uid in uids(cluster).items() if before[name] != uid}
    assert changed == {"js-b-1"}
    assert (attempt(cluster, "js-b-1"), attempt(cluster, "js-b-0")) == ("1", "0")
    assert counters(cluster, "b") == ([0, 1, 0], [0, 1, 0])
    assert counters(cluster, "a") == (None, None)
    assert cluster.restarts == (0, 0)
    assert cluster.condition("RestartingJobSet") is None
    assert [reason for _, reason, _ in cluster.events] == ["RestartJobFailurePolicyAction"]


def test_restarts_that_do_not_count() -> None:
    cluster = f1("RestartJobAndIgnoreMaxRestarts")
    for _ in range(3):
        cluster.fail("js-a-0", reason="PodFailurePolicy").finalize()
    assert counters(cluster, "a") == ([3], None)
    assert attempt(cluster, "js-a-0") == "3"


def test_the_restarts_of_single_jobs_and_of_the_set_share_the_maximum() -> None:
    cluster = f1(max_restarts=2).fail("js-a-0", reason="PodFailurePolicy").finalize()
    cluster.fail("js-b-0").finalize()
    assert cluster.restarts == (1, 1)
    cluster.fail("js-b-0", reason="PodFailurePolicy")
    assert cluster.condition("Failed") == ("True", "ReachedMaxRestarts")
    assert counters(cluster, "a") == ([1], [1])


def test_several_failed_jobs_are_restarted_one_after_the_other() -> None:
    cluster = f1(max_restarts=5).fail("js-b-0", "js-b-2", reason="PodFailurePolicy").finalize()
    assert counters(cluster, "b") == ([1, 0, 1], [1, 0, 1])
    assert len(cluster.jobs) == 4


def test_counters_survive_a_restart_of_the_whole_set() -> None:
    cluster = f1(max_restarts=5).fail("js-b-2", reason="PodFailurePolicy").finalize()
    cluster.fail("js-a-0").finalize()
    assert cluster.restarts == (1, 1)
    assert attempt(cluster, "js-b-2") == "1"


def test_a_job_from_before_the_gate_is_kept() -> None:
    jobset = {"status": {"replicatedJobsStatus": [{"name": "a", "jobRestarts": [2]}]}}
    old = {"metadata": {"labels": {labels.REPLICATED_JOB_NAME: "a", labels.JOB_INDEX: "0"}}}
    assert not job_restarts.is_previous(jobset, old)


def test_an_index_that_has_no_counter_is_an_error() -> None:
    with pytest.raises(ValueError, match="a has no Job 1"):
        job_restarts.of_job({"status": {"replicatedJobsStatus": [{"name": "a", "jobRestarts": [2]}]}}, "a", 1)


def test_with_the_gate_off_again_the_pass_says_so_and_writes_no_status() -> None:
    cluster = f1()
    cluster.gates = NONE
    cluster.fail("js-a-0", reason="PodFailurePolicy")
    assert cluster.failure.startswith(
        "RestartJob failure policy action cannot be used when the feature gate RestartJob"
    )
    assert cluster.condition("Failed") is None


def test_with_the_gate_off_jobs_carry_no_attempt_of_their_own() -> None:
    cluster = Cluster(make_jobset(group("a"))).settle()
    assert labels.JOB_RESTART_ATTEMPT not in cluster.jobs["js-a-0"]["metadata"]["labels"]
