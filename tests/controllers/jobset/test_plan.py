"""What can only be seen in a single pass; all other cases are data (``tests/conformance/jobset``)."""

from typing import Any

from tests.controllers.jobset.cluster import Cluster, make_jobset


def f1(**spec: Any) -> Cluster:
    return Cluster(make_jobset(**spec)).settle()


def test_r27_a_job_on_its_way_to_failure_is_active() -> None:
    cluster = f1()
    target = [{"type": "FailureTarget", "status": "True", "reason": "x", "message": ""}]
    cluster.jobs["js-a-0"]["status"] = {"conditions": target, "active": 1}
    assert cluster.settle().condition("Failed") is None
    assert cluster.counts("a") == "A1"


def test_s7_failure_comes_before_success() -> None:
    cluster = f1(successPolicy={"operator": "Any"})
    cluster.jobs["js-a-0"]["status"] = {"conditions": [{"type": "Complete", "status": "True"}], "succeeded": 1}
    assert cluster.fail("js-b-0").condition("Failed") == ("True", "FailedJobs")
    assert cluster.condition("Completed") is None


def test_of_two_jobs_that_fail_together_the_earlier_is_named() -> None:
    cluster = f1()
    for name, moment in (("js-a-0", "2026-01-01T12:00:09Z"), ("js-b-2", "2026-01-01T12:00:05Z")):
        failed = {"type": "Failed", "status": "True", "reason": "x", "message": "", "lastTransitionTime": moment}
        cluster.jobs[name]["status"] = {"conditions": [failed]}
    cluster.settle()
    assert cluster.events[0][2].endswith("(first failed job: js-b-2)")
