"""Validation jobs of the stack as users write them: torchrun on two nodes, and the same script at three scales.

Unmodified manifests, unmodified kubectl, real torchrun on gloo; GPUs are simulated, one a node.
"""

import re

import pytest

from tests.e2e.machine import POC, Machine, edited, manifest

pytestmark = pytest.mark.e2e

LINE = re.compile(r"rank (\d+)/(\d+) on cpu backend gloo: all_reduce = ([\d.]+)")


def sums(machine: Machine, job_set: str) -> list[tuple[int, int, float]]:
    """(rank, world, sum) as the ranks of a job printed them."""
    selector = f"jobset.sigs.k8s.io/jobset-name={job_set}"
    log = machine.kubectl("logs", "-n", POC, "-l", selector, "--tail=-1")
    return sorted((int(rank), int(world), float(total)) for rank, world, total in LINE.findall(log))


def names(machine: Machine, kinds: str) -> list[str]:
    """kind/name of what the namespace holds, without the random ends of pods' names."""
    found = machine.kubectl("get", kinds, "-n", POC, "-o", "name").split()
    return [re.sub(r"(pod/.*)-\w{5}$", r"\1", name) for name in found]


@pytest.mark.parametrize(
    ("name", "job"),
    [("trainjob", "pytorch-trainer-validation"), ("trainjob-trainer-2.1", "pytorch-trainer-validation-21")],
)
def test_a_trainjob_in_both_shapes(cluster: Machine, name: str, job: str) -> None:
    cluster.apply(manifest(name))
    cluster.wait_for_condition("Complete", f"trainjob/{job}", "-n", POC)
    assert sums(cluster, job) == [(0, 2, 1.0), (1, 2, 1.0)]
    assert names(cluster, "jobsets,jobs,services,pods") == [
        f"jobset.jobset.x-k8s.io/{job}",
        f"job.batch/{job}-node-0",
        f"service/{job}",
        f"pod/{job}-node-0-0",
        f"pod/{job}-node-0-1",
    ]
    assert cluster.object("service", job, POC)["spec"]["clusterIP"] == "None"
    pods = cluster.objects("pods", "-l", f"jobset.sigs.k8s.io/jobset-name={job}")
    assert len({pod["spec"]["nodeName"] for pod in pods}) == 2, "one GPU a node, so one pod a node"
    assert re.search(rf"TrainJob +{job} +Succeeded +2/2", cluster.ok("get", "-n", POC))


def test_a_jobset_wired_by_hand(cluster: Machine) -> None:
    cluster.apply(manifest("jobset"))
    cluster.wait_for_condition("Completed", "jobset/pytorch-jobset-validation", "-n", POC)
    assert sums(cluster, "pytorch-jobset-validation") == [(0, 2, 1.0), (1, 2, 1.0)]


def test_only_the_number_of_nodes_makes_the_scale(cluster: Machine) -> None:
    cluster.apply(manifest("scaling"))
    cluster.wait_for_condition("Complete", "trainjobs", "--all", "-n", POC)
    for nodes, total in ((1, 0.0), (2, 1.0), (4, 6.0)):
        expected = [(rank, nodes, total) for rank in range(nodes)]
        assert sums(cluster, f"fraud-detection-{nodes}gpu") == expected


def test_two_jobs_use_port_29500_at_the_same_time(cluster: Machine) -> None:
    first = manifest("trainjob")
    second = edited(first, "name: pytorch-trainer-validation", "name: second")
    cluster.apply(f"{first}---\n{second}")
    cluster.wait_for_condition("Complete", "trainjobs", "--all", "-n", POC)
    spans = []
    for job in ("pytorch-trainer-validation", "second"):
        assert sums(cluster, job) == [(0, 2, 1.0), (1, 2, 1.0)]
        status = cluster.object("job", f"{job}-node-0", POC)["status"]
        spans.append((status["startTime"], status["completionTime"]))
    assert max(start for start, _ in spans) < min(end for _, end in spans), "they did not run at the same time"
