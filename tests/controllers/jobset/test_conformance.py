"""Upstream's integration cases, status-driven; the names are those of our behaviour specification.

F1 is the JobSet of ``make_jobset``: one Job ``js-a-0`` and three Jobs ``js-b-0..2``.
"""

from typing import Any

import pytest

from tests.controllers.jobset.cluster import Cluster, group, make_jobset

ALL = ("js-a-0", "js-b-0", "js-b-1", "js-b-2")
B = ALL[1:]


def f1(*groups: Any, **spec: Any) -> Cluster:
    return Cluster(make_jobset(*groups, **spec)).settle()


def restarting(max_restarts: int = 1, *rules: Any, **policy: Any) -> Cluster:
    return f1(failurePolicy={"maxRestarts": max_restarts, "rules": list(rules), **policy})


def rule(action: str, *reasons: str, **more: Any) -> dict[str, Any]:
    return {"action": action, "onJobFailureReasons": list(reasons), **more}


# Creation


def test_c1_all_jobs_and_the_service_are_created() -> None:
    cluster = f1()
    assert sorted(cluster.jobs) == list(ALL)
    assert cluster.service is not None and cluster.service["metadata"]["name"] == "js"
    assert [status["name"] for status in cluster.status["replicatedJobsStatus"]] == ["b", "a"]
    assert cluster.condition("Completed") is None and cluster.condition("Suspended") is None


def test_c13_a_deleted_service_comes_back() -> None:
    cluster = f1()
    cluster.service = None
    assert cluster.settle().service is not None


def test_c14_without_dns_there_is_no_service() -> None:
    cluster = f1(network={"enableDNSHostnames": False})
    assert cluster.service is None
    assert "subdomain" not in cluster.jobs["js-a-0"]["spec"]["template"]["spec"]


def test_c24_a_jobset_without_jobs_never_finishes() -> None:
    cluster = Cluster(make_jobset())
    cluster.jobset["spec"]["replicatedJobs"] = []
    assert cluster.settle().status.get("terminalState") is None


# Success


def test_s1_complete() -> None:
    cluster = f1().complete(*ALL)
    assert cluster.condition("Completed") == ("True", "AllJobsCompleted")
    assert cluster.status["terminalState"] == "Completed"
    assert (cluster.counts("a"), cluster.counts("b")) == ("s1", "s3")


def test_s2_one_job_is_missing() -> None:
    cluster = f1().complete("js-a-0", "js-b-0", "js-b-1").ready("js-b-2")
    assert cluster.condition("Completed") is None
    assert (cluster.counts("a"), cluster.counts("b")) == ("s1", "r1 s2 A1")


def test_s3_all_of_the_targets() -> None:
    cluster = f1(successPolicy={"operator": "All", "targetReplicatedJobs": ["b"]}).complete("js-a-0", "js-b-0")
    assert cluster.condition("Completed") is None
    assert cluster.complete("js-b-1", "js-b-2").condition("Completed") is not None


def test_s3_a_job_that_is_no_target_is_stopped() -> None:
    cluster = f1(successPolicy={"operator": "All", "targetReplicatedJobs": ["b"]}).complete(*B)
    assert cluster.condition("Completed") is not None
    assert cluster.living == list(B)


def test_s5_any_job() -> None:
    cluster = f1(successPolicy={"operator": "Any"}).complete("js-b-1")
    assert cluster.condition("Completed") is not None
    assert cluster.living == ["js-b-1"]
    assert sorted(cluster.finalize().jobs) == ["js-b-1"]


def test_s6_any_of_the_targets() -> None:
    cluster = f1(successPolicy={"operator": "Any", "targetReplicatedJobs": ["b"]})
    assert cluster.complete("js-a-0").condition("Completed") is None
    assert cluster.complete("js-b-0").condition("Completed") is not None


# Failure


def test_r1_without_a_policy_the_first_failure_fails_the_jobset() -> None:
    cluster = f1().fail("js-b-1")
    assert cluster.condition("Failed") == ("True", "FailedJobs")
    message = "jobset failed due to one or more job failures (first failed job: js-b-1)"
    assert ("Warning", "FailedJobs", message) in cluster.events
    assert cluster.status["terminalState"] == "Failed"
    assert sorted(cluster.finalize().jobs) == ["js-b-1"]


def test_r2_an_empty_policy_allows_no_restart() -> None:
    cluster = f1(failurePolicy={}).fail("js-a-0")
    assert cluster.condition("Failed") == ("True", "ReachedMaxRestarts")
    assert cluster.restarts == (0, 0)


def test_r3_restart_and_fail_again() -> None:
    cluster = restarting().fail("js-a-0")
    assert cluster.restarts == (1, 1)
    assert cluster.condition("RestartingJobSet") == ("True", "DefaultFailurePolicy")
    assert cluster.finalize().attempts() == {1: 4}
    assert cluster.fail("js-b-0").condition("Failed") == ("True", "ReachedMaxRestarts")
    assert cluster.restarts == (1, 1)
    assert cluster.condition("RestartingJobSet") == ("False", "JobSetFailed")


def test_r4_a_restart_runs_completed_jobs_again() -> None:
    cluster = restarting().complete("js-a-0").fail("js-b-0").finalize()
    assert cluster.attempts() == {1: 4}
    assert cluster.complete(*ALL).condition("Completed") is not None
    assert cluster.restarts == (1, 1)


def test_r5_recreate_replaces_each_job_when_its_own_forerunner_is_gone() -> None:
    cluster = restarting().fail("js-a-0")
    assert cluster.finalize(3).attempts() == {0: 1, 1: 3}
    assert cluster.finalize(1).attempts() == {1: 4}


def test_r6_blocking_recreate_waits_for_all() -> None:
    cluster = restarting(restartStrategy="BlockingRecreate").fail("js-a-0")
    assert cluster.finalize(3).attempts() == {0: 1}
    assert cluster.finalize(1).attempts() == {1: 4}


def test_r13_the_restart_is_over_when_all_jobs_are_ready() -> None:
    cluster = restarting(1, rule("RestartJobSet", name="Rule1")).fail("js-a-0").finalize()
    assert cluster.condition("RestartingJobSet") == ("True", "FailurePolicy_Rule1")
    assert cluster.ready(*ALL[:3]).condition("RestartingJobSet") == ("True", "FailurePolicy_Rule1")
    assert cluster.ready(*ALL).condition("RestartingJobSet") == ("False", "JobsReady")


def test_r14_ignored_restarts_do_not_count() -> None:
    cluster = restarting(1, rule("RestartJobSetAndIgnoreMaxRestarts", "PodFailurePolicy"), rule("FailJobSet"))
    for attempt in (1, 2, 3):
        cluster.fail("js-a-0", reason="PodFailurePolicy").finalize()
        assert cluster.restarts == (attempt, 0)
    assert cluster.fail("js-b-0").condition("Failed") == ("True", "FailJobSetFailurePolicyAction")
    assert cluster.restarts == (3, 0)


@pytest.mark.parametrize(
    ("case", "rules", "job", "reason", "message", "outcome"),
    [
        ("R7", [rule("FailJobSet")], "js-a-0", "PodFailurePolicy", "", "fail"),
        ("R8", [rule("FailJobSet", "BackoffLimitExceeded")], "js-a-0", "PodFailurePolicy", "", "restart"),
        (
            "R9",
            [rule("FailJobSet", onJobFailureMessagePatterns=["some message"])],
            "js-a-0",
            "PodFailurePolicy",
            "some critical error with a message",
            "restart",
        ),
        (
            "R10",
            [rule("FailJobSet", "PodFailurePolicy", onJobFailureMessagePatterns=["some message"])],
            "js-a-0",
            "PodFailurePolicy",
            "some critical error with a message",
            "restart",
        ),
        (
            "R11",
            [rule("FailJobSet", "PodFailurePolicy", onJobFailureMessagePatterns=["some message"])],
            "js-a-0",
            "PodFailurePolicy",
            "this is some message with critical error",
            "fail",
        ),
        (
            "R12",
            [rule("RestartJobSet", "PodFailurePolicy"), rule("FailJobSet")],
            "js-a-0",
            "PodFailurePolicy",
            "",
            "restart",
        ),
        (
            "R15",
            [rule("FailJobSet", "FailedIndexes", targetReplicatedJobs=["b"])],
            "js-b-0",
            "FailedIndexes",
            "",
            "fail",
        ),
        ("R16", [rule("FailJobSet", targetReplicatedJobs=["a"])], "js-b-0", "BackoffLimitExceeded", "", "restart"),
        ("R17", [rule("FailJobSet"), rule("RestartJobSet")], "js-a-0", "MaxFailedIndexesExceeded", "", "fail"),
        ("R18", [rule("RestartJobSet"), rule("FailJobSet")], "js-a-0", "MaxFailedIndexesExceeded", "", "restart"),
        ("R28", [rule("FailJobSet", onJobFailureMessagePatterns=["(", "b+"])], "js-a-0", "X", "abba", "fail"),
    ],
)
def test_rules(case: str, rules: list[Any], job: str, reason: str, message: str, outcome: str) -> None:
    cluster = restarting(1, *rules).fail(job, reason=reason, message=message)
    assert (cluster.condition("Failed") is not None) is (outcome == "fail")
    assert cluster.restarts == ((0, 0) if outcome == "fail" else (1, 1))


def test_r27_a_job_on_its_way_to_failure_is_active() -> None:
    cluster = f1()
    target = [{"type": "FailureTarget", "status": "True", "reason": "x", "message": ""}]
    cluster.jobs["js-a-0"]["status"] = {"conditions": target, "active": 1}
    assert cluster.settle().condition("Failed") is None
    assert cluster.counts("a") == "A1"


def test_r31_a_job_deleted_by_a_user_comes_back() -> None:
    cluster = f1()
    del cluster.jobs["js-b-1"]
    assert cluster.settle().attempts() == {0: 4}
    assert cluster.restarts == (0, 0)


def test_s7_failure_comes_before_success() -> None:
    cluster = f1(successPolicy={"operator": "Any"})
    cluster.jobs["js-a-0"]["status"] = {"conditions": [{"type": "Complete", "status": "True"}], "succeeded": 1}
    assert cluster.fail("js-b-0").condition("Failed") == ("True", "FailedJobs")
    assert cluster.condition("Completed") is None


def test_t8_the_pass_that_restarts_still_shows_the_failure() -> None:
    cluster = restarting().fail("js-b-0")
    assert (cluster.counts("a"), cluster.counts("b")) == ("", "")


# Suspension


def test_p1_created_suspended() -> None:
    cluster = f1(suspend=True)
    assert sorted(cluster.jobs) == list(ALL)
    assert all(job["spec"]["suspend"] for job in cluster.jobs.values())
    assert (cluster.counts("a"), cluster.counts("b")) == ("S1", "S3")
    assert cluster.condition("Suspended") == ("True", "SuspendedJobs")
    assert cluster.service is not None


def test_p2_resume_and_complete() -> None:
    cluster = f1(suspend=True).change(suspend=False)
    assert not any(job["spec"]["suspend"] for job in cluster.jobs.values())
    assert cluster.condition("Suspended") == ("False", "ResumeJobs")
    assert cluster.complete(*ALL).condition("Completed") is not None


def test_p3_suspend_while_running() -> None:
    cluster = f1().ready(*ALL).change(suspend=True)
    assert all(job["spec"]["suspend"] for job in cluster.jobs.values())
    assert cluster.condition("Suspended") == ("True", "SuspendedJobs")


def test_p6_a_suspended_in_order_jobset_has_all_its_jobs() -> None:
    cluster = f1(suspend=True, startupPolicy={"startupPolicyOrder": "InOrder"})
    assert (cluster.counts("a"), cluster.counts("b")) == ("S1", "S3")
    assert cluster.condition("StartupPolicyInProgress") is None


def test_p8_resume_in_order() -> None:
    cluster = f1(suspend=True, startupPolicy={"startupPolicyOrder": "InOrder"}).change(suspend=False)
    assert (cluster.counts("a"), cluster.counts("b")) == ("", "S3")
    cluster.ready("js-a-0")
    assert cluster.counts("b") == ""
    assert cluster.condition("StartupPolicyInProgress") == ("True", "InOrderStartupPolicyInProgress")
    assert cluster.condition("Suspended") == ("True", "SuspendedJobs")
    cluster.ready(*B)
    assert cluster.condition("StartupPolicyCompleted") == ("True", "InOrderStartupPolicyCompleted")
    assert cluster.condition("StartupPolicyInProgress") == ("False", "InOrderStartupPolicyInProgress")
    assert cluster.condition("Suspended") == ("False", "ResumeJobs")


def test_suspending_ends_a_restart() -> None:
    cluster = restarting().fail("js-a-0").change(suspend=True)
    assert cluster.condition("RestartingJobSet") == ("False", "JobSetSuspended")
    assert cluster.restarts == (1, 1)


# Order


def test_o1_in_order() -> None:
    cluster = f1(startupPolicy={"startupPolicyOrder": "InOrder"})
    assert sorted(cluster.jobs) == ["js-a-0"]
    assert sorted(cluster.ready("js-a-0").jobs) == list(ALL)
    cluster.active(*B)
    assert cluster.condition("StartupPolicyCompleted") is None
    cluster.ready(*B)
    assert cluster.condition("StartupPolicyCompleted") == ("True", "InOrderStartupPolicyCompleted")


def test_o2_a_restart_starts_in_order_again() -> None:
    cluster = f1(startupPolicy={"startupPolicyOrder": "InOrder"}, failurePolicy={"maxRestarts": 1})
    cluster.ready("js-a-0").ready(*B).fail("js-b-0").finalize()
    assert cluster.attempts() == {1: 1}
    assert cluster.condition("StartupPolicyInProgress") == ("True", "InOrderStartupPolicyInProgress")
    assert cluster.condition("StartupPolicyCompleted") == ("False", "InOrderStartupPolicyCompleted")
    assert cluster.ready("js-a-0").attempts() == {1: 4}


def depending(*names_and_states: str) -> list[dict[str, str]]:
    pairs = zip(names_and_states[::2], names_and_states[1::2], strict=True)
    return [{"name": name, "status": status} for name, status in pairs]


def test_o3_depends_on_ready() -> None:
    cluster = f1(group("a"), group("b", 3, dependsOn=depending("a", "Ready")))
    assert sorted(cluster.jobs) == ["js-a-0"]
    assert sorted(cluster.ready("js-a-0").jobs) == list(ALL)


def test_o4_a_chain() -> None:
    cluster = f1(
        group("a"),
        group("b", dependsOn=depending("a", "Complete")),
        group("c", 3, dependsOn=depending("b", "Ready")),
    )
    assert len(cluster.jobs) == 1
    assert len(cluster.ready("js-a-0").jobs) == 1
    assert len(cluster.complete("js-a-0").jobs) == 2
    assert len(cluster.ready("js-b-0").jobs) == 5
    assert cluster.complete("js-b-0", "js-c-0", "js-c-1", "js-c-2").condition("Completed") is not None


def test_o5_every_dependency_must_hold() -> None:
    cluster = f1(group("a"), group("b"), group("c", 3, dependsOn=depending("a", "Complete", "b", "Complete")))
    assert len(cluster.complete("js-a-0").jobs) == 2
    assert len(cluster.complete("js-b-0").jobs) == 5


def test_o7_a_suspended_jobset_has_only_jobs_whose_dependencies_hold() -> None:
    cluster = f1(group("a"), group("b", 3, dependsOn=depending("a", "Ready")), suspend=True)
    assert sorted(cluster.jobs) == ["js-a-0"]
    cluster.change(suspend=False).ready("js-a-0")
    assert sorted(cluster.jobs) == list(ALL)
    assert not any(job["spec"]["suspend"] for job in cluster.jobs.values())


def test_o9_a_failed_dependency_starts_nothing() -> None:
    cluster = f1(group("a"), group("b", dependsOn=depending("a", "Complete"))).fail("js-a-0")
    assert cluster.condition("Failed") == ("True", "FailedJobs")
    assert sorted(cluster.jobs) == ["js-a-0"]
