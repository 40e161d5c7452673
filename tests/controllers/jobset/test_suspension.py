from sidings.api import objects
from sidings.controllers.jobset import suspension
from sidings.controllers.jobset.child_job import job_for
from tests.controllers.jobset.cluster import group, make_jobset


def suspended_job(**pod: object) -> dict:
    jobset = make_jobset(group("a"), suspend=True)
    job = job_for(jobset, jobset["spec"]["replicatedJobs"][0], 0)
    job["spec"]["template"]["spec"] |= pod
    return job


def replicated(metadata: dict | None = None, **pod: object) -> dict:
    made = group("a")
    made["template"]["spec"]["template"]["spec"] |= pod
    made["template"]["spec"]["template"]["metadata"] = metadata or {}
    return made


def test_maps_are_merged_and_keys_never_removed() -> None:
    job = suspended_job(nodeSelector={"a": "1"})
    resumed = suspension.resumed(job, replicated({"labels": {"l": "2"}}, nodeSelector={"b": "2"}))
    template = resumed["spec"]["template"]
    assert template["spec"]["nodeSelector"] == {"a": "1", "b": "2"}
    assert template["metadata"]["labels"]["l"] == "2"
    assert template["metadata"]["labels"]["jobset.sigs.k8s.io/job-index"] == "0"
    assert resumed["spec"]["suspend"] is False


def test_lists_are_united() -> None:
    first, second = {"key": "t1", "operator": "Exists"}, {"key": "t2", "operator": "Exists"}
    job = suspended_job(tolerations=[first])
    resumed = suspension.resumed(job, replicated(tolerations=[first, second], schedulingGates=[{"name": "x.io/g"}]))
    assert resumed["spec"]["template"]["spec"]["tolerations"] == [first, second]
    assert resumed["spec"]["template"]["spec"]["schedulingGates"] == [{"name": "x.io/g"}]


def test_nothing_else_is_brought_over() -> None:
    job = suspended_job()
    resumed = suspension.resumed(job, replicated(priorityClassName="x"))
    assert "priorityClassName" not in resumed["spec"]["template"]["spec"]


def test_the_clock_is_cleared_only_where_it_ran() -> None:
    job = {**suspended_job(), "status": {"startTime": "2026-01-01T00:00:00Z", "failed": 2}}
    cleared = suspension.without_start(job)
    assert cleared is not None and cleared["status"] == {"failed": 2}
    assert suspension.without_start(cleared) is None


def test_the_job_is_not_changed() -> None:
    job = suspended_job(nodeSelector={"a": "1"})
    before = objects.copy_of(job)
    suspension.resumed(job, replicated(nodeSelector={"b": "2"}))
    suspension.suspended(job)
    assert job == before
