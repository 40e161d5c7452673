from sidings.api.objects import Object
from sidings.node.telemetry.workload import workload_of
from tests.node.pods import pod


def labelled(**labels: str) -> Object:
    names = {
        "js": "jobset.sigs.k8s.io/jobset-name",
        "part": "jobset.sigs.k8s.io/replicatedjob-name",
        "job": "batch.kubernetes.io/job-name",
        "rank": "batch.kubernetes.io/job-completion-index",
    }
    return pod(metadata={"labels": {names[key]: value for key, value in labels.items()}})


def test_a_pod_of_a_job_set_is_a_rank_of_one_of_its_parts() -> None:
    found = workload_of(labelled(js="train", part="node", job="train-node-0", rank="3"))
    assert (found.kind, found.job, found.part, found.rank) == ("JobSet", "train", "node", "3")
    assert (found.namespace, found.pod, found.node) == ("default", "p", "node-1")


def test_a_pod_of_a_job_and_one_of_another_owner() -> None:
    found = workload_of(labelled(job="count", rank="0"))
    assert (found.kind, found.job, found.part, found.rank) == ("Job", "count", "", "0")
    owned = pod(metadata={"ownerReferences": [{"kind": "PyTorchJob", "name": "old", "uid": "u", "controller": True}]})
    assert (workload_of(owned).kind, workload_of(owned).job) == ("PyTorchJob", "old")
    assert (workload_of(pod()).kind, workload_of(pod()).job) == ("", "")
