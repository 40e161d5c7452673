"""What would become of jobs, through a control plane in memory: nothing is stored, and the numbers are Kueue's."""

from __future__ import annotations

import pytest

from sidings.answers import check, codes, standing
from sidings.answers.check import Prospect
from sidings.answers.finding import Finding
from sidings.api.objects import Object
from sidings.api.resources import JOBS, TRAIN_JOBS, WORKLOADS, Resource
from sidings.cli import would_be
from sidings.cli.manifest import Document
from sidings.host import surroundings
from tests.answers.why.conftest import Asked, asked

__all__ = ["asked"]
pytestmark = pytest.mark.looptime


def batch_job(name: str, pods: int = 1, queue: str = "lq", **container: object) -> Object:
    one = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}, **container}
    spec = {
        "parallelism": pods,
        "completions": pods,
        "template": {"spec": {"restartPolicy": "Never", "containers": [one]}},
    }
    labels = {"kueue.x-k8s.io/queue-name": queue} if queue else {}
    metadata = {"name": name, "namespace": "team", "labels": labels}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


async def checked(asked: Asked, *manifests: Object, resource: Resource = JOBS) -> list[Prospect]:
    client = asked.plane.client
    around = await surroundings.read(client, asked.plane.clock, "team", "")
    stood = standing.of(around)
    found = []
    for manifest in manifests:
        job = await would_be.stored(client, resource, Document(manifest, "f", 1), "team")
        kind = would_be.integration_of(resource)
        assert kind is not None
        workload = would_be.workload_of(kind, job, await would_be.runtime_of(client, job), around)
        assert not isinstance(workload, str), workload
        found.append(check.of(job, workload, around, stood))
    return found


def grave(prospect: Prospect) -> list[str]:
    return [found.code for found in prospect.findings if found.severity == "error"]


def busy(prospect: Prospect) -> Finding:
    return next(found for found in prospect.findings if found.code == codes.QUOTA_BUSY)


async def test_a_job_that_fits_is_admitted_now_and_nothing_is_stored(asked: Asked) -> None:
    await asked.queue("4")
    [prospect] = await checked(asked, batch_job("j", 2))
    assert (prospect.when, grave(prospect)) == ("now", [])
    assert prospect.asks == ["main: 2 pods x 1 CPU", "in total: 2 pods, 2 CPUs"]
    assert (await asked.plane.client.list(JOBS, "team")).items == []
    assert (await asked.plane.client.list(WORKLOADS, "team")).items == []


async def test_a_job_that_is_too_large_never_is(asked: Asked) -> None:
    await asked.queue("4")
    [prospect] = await checked(asked, batch_job("j", 6))
    assert (prospect.when, grave(prospect)) == ("never", [codes.NEVER_ENOUGH])
    assert prospect.is_hopeless
    assert not prospect.is_refused
    await asked.mend(prospect.findings[0])
    [prospect] = await checked(asked, batch_job("j", 6))
    assert prospect.when == "now"


async def test_a_busy_queue_says_after_whom(asked: Asked) -> None:
    await asked.queue("4")
    await asked.job("holder", pods=3)
    await asked.settle()
    [prospect] = await checked(asked, batch_job("j", 2))
    assert (prospect.when, grave(prospect)) == ("later", [])
    assert "job-holder-" in busy(prospect).cause


async def test_jobs_of_one_call_stand_in_one_queue(asked: Asked) -> None:
    await asked.queue("4")
    first, second = await checked(asked, batch_job("a", 3), batch_job("b", 3))
    assert (first.when, second.when) == ("now", "later")
    assert "admitted when team/job-a-" in busy(second).cause


async def test_a_queue_that_is_not_there(asked: Asked) -> None:
    await asked.queue("4", local="other")
    [prospect] = await checked(asked, batch_job("j"))
    assert (prospect.when, grave(prospect)) == ("never", [codes.NO_LOCAL_QUEUE])


async def test_a_job_without_queue_starts_at_once(asked: Asked) -> None:
    await asked.queue("4")
    [prospect] = await checked(asked, batch_job("j", queue=""))
    assert prospect.when == "at once"
    assert codes.NOT_QUEUED in [found.code for found in prospect.findings]


async def test_the_nodes_are_counted(asked: Asked) -> None:
    await asked.queue("40")
    await asked.node("n1")
    too_many, too_large = await checked(asked, batch_job("a", 5), batch_job("b", resources={"requests": {"cpu": "6"}}))
    assert grave(too_many) == [codes.NODES_TOO_FEW]
    assert too_many.findings[0].what == "main has 5 pods, and 1 empty nodes hold 4 of them at once"
    assert grave(too_large) == [codes.FITS_NO_NODE]


async def test_what_the_pods_refer_to_is_looked_for(asked: Asked) -> None:
    env = [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "token", "key": "hf"}}}]
    [prospect] = await checked(asked, batch_job("j", queue="", env=env))
    assert grave(prospect) == [codes.NO_SECRET]
    assert prospect.findings[0].remedy == "kubectl create secret generic token -n team --from-literal=hf=VALUE"


async def test_a_train_job_asks_for_what_its_runtime_says(asked: Asked) -> None:
    await asked.queue("4")
    spec = {
        "runtimeRef": {"name": "torch-distributed"},
        "trainer": {"numNodes": 3, "resourcesPerNode": {"requests": {"cpu": "2"}}},
    }
    labels = {"kueue.x-k8s.io/queue-name": "lq"}
    manifest = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "t", "namespace": "team", "labels": labels},
        "spec": spec,
    }
    [prospect] = await checked(asked, manifest, resource=TRAIN_JOBS)
    assert (prospect.when, grave(prospect)) == ("never", [codes.NEVER_ENOUGH])
    assert prospect.findings[0].what == "it asks for 3 pods x 2 CPUs = 6 > 4 (node 3)"
