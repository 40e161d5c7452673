from sidings.controllers.job.template import pod_for
from tests.controllers.job.jobs import make_job

INDEX_ENV = {
    "name": "JOB_COMPLETION_INDEX",
    "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}},
}


def test_a_pod_belongs_to_its_job_and_is_tracked() -> None:
    pod = pod_for(make_job())
    metadata = pod["metadata"]
    assert metadata["generateName"] == "j-"
    assert metadata["finalizers"] == ["batch.kubernetes.io/job-tracking"]
    assert metadata["ownerReferences"] == [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": "j",
            "uid": "job-uid",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert metadata["labels"]["batch.kubernetes.io/controller-uid"] == "job-uid"
    assert "annotations" not in metadata
    assert "hostname" not in pod["spec"]


def test_a_pod_of_an_indexed_job_knows_its_index() -> None:
    pod = pod_for(make_job(completions=3), 2)
    assert pod["metadata"]["generateName"] == "j-2-"
    assert pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] == "2"
    assert pod["metadata"]["annotations"] == {"batch.kubernetes.io/job-completion-index": "2"}
    assert pod["spec"]["hostname"] == "j-2"
    assert pod["spec"]["containers"][0]["env"] == [INDEX_ENV]


def test_the_users_own_index_variable_is_kept() -> None:
    job = make_job(completions=1)
    mine = {"name": "JOB_COMPLETION_INDEX", "value": "x"}
    spec = job["spec"]["template"]["spec"]
    spec["containers"][0]["env"] = [mine]
    spec["initContainers"] = [{"name": "init"}]
    made = pod_for(job, 0)["spec"]
    assert made["containers"][0]["env"] == [mine]
    assert made["initContainers"][0]["env"] == [INDEX_ENV]
    assert "env" not in spec["initContainers"][0]


def test_a_long_name_is_cut_so_that_the_index_stays() -> None:
    job = make_job(completions=11)
    job["metadata"]["name"] = "n" * 63
    assert pod_for(job, 10)["metadata"]["generateName"] == "n" * 54 + "-10-"
