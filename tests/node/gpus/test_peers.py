"""Which pods with GPUs can have peers, from the templates of their jobs."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS, JOBS, NAMESPACES, PYTORCH_JOBS
from sidings.client.local import LocalClient
from sidings.clock import SystemClock
from sidings.node.gpus.peers import can_have_peers, gpu_pods
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.node.pods import container, pod

GPU: Object = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
MIG: Object = {"resources": {"limits": {"nvidia.com/mig-1g.18gb": "1"}}}


def template(**fields: Any) -> Object:
    return {"spec": {"restartPolicy": "Never", "containers": [container(**fields)]}}


def job_spec(pods: int | None = None, completions: int | None = None, **fields: Any) -> Object:
    counts = {"parallelism": pods, "completions": completions if completions is not None else pods}
    return {**({} if pods is None else counts), "template": template(**fields)}


def job(spec: Object) -> Object:
    return {"apiVersion": JOBS.api_version, "kind": JOBS.kind, "metadata": {"name": "j"}, "spec": spec}


def job_set(*parts: tuple[Object, int | None]) -> Object:
    """``parts``: a Job's spec and the number of such Jobs, None for the default."""
    groups = [
        {"name": f"part-{number}", "template": {"spec": spec}, **({} if replicas is None else {"replicas": replicas})}
        for number, (spec, replicas) in enumerate(parts)
    ]
    return {
        "apiVersion": JOB_SETS.api_version,
        "kind": JOB_SETS.kind,
        "metadata": {"name": "js"},
        "spec": {"replicatedJobs": groups},
    }


def pytorch_job(*, workers: int | None, **spec: object) -> Object:
    replicas = {"Master": {"replicas": 1, "template": template(**GPU)}}
    if workers is not None:
        replicas["Worker"] = {"replicas": workers, "template": template(**GPU)}
    return {
        "apiVersion": PYTORCH_JOBS.api_version,
        "kind": PYTORCH_JOBS.kind,
        "metadata": {"name": "pt"},
        "spec": {"pytorchReplicaSpecs": replicas, **spec},
    }


@pytest.mark.parametrize(
    ("owner", "count"),
    [
        (job(job_spec(**GPU)), 1),
        (job(job_spec(2, **GPU)), 2),
        (job(job_spec(1, 4, **GPU)), 1),  # one after another
        (job(job_spec(3, **MIG)), 3),
        (job_set((job_spec(1, **GPU), None)), 1),
        (job_set((job_spec(2, **GPU), 1)), 2),
        (job_set((job_spec(1, **GPU), 2)), 2),
        (job_set((job_spec(1, **GPU), 1), (job_spec(1, **GPU), 1)), 2),
        (job_set((job_spec(1), 1), (job_spec(1, **GPU), 1)), 1),  # an initializer has no GPU
        (job_set((job_spec(2), 1)), 0),
        (pytorch_job(workers=None), 1),
        (pytorch_job(workers=0), 1),
        (pytorch_job(workers=1), 2),
        (pytorch_job(workers=None, elasticPolicy={"maxReplicas": 2}), None),
    ],
)
def test_pods_with_gpus_are_counted_over_all_parts_of_a_job(owner: Object, count: int | None) -> None:
    assert gpu_pods(owner) == count


def test_a_gpu_that_only_an_init_container_asks_for_counts() -> None:
    spec = job_spec(2)
    spec["template"]["spec"]["initContainers"] = [container("first", **GPU)]
    assert gpu_pods(job(spec)) == 2


@pytest.fixture
async def client() -> LocalClient:
    registry = Registry(Store.in_memory(), catalog.builtin(), SystemClock(), random.Random(0))
    made = LocalClient(registry)
    await made.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}})
    return made


def of_job_set(name: str) -> Object:
    return pod(metadata={"labels": {"jobset.sigs.k8s.io/jobset-name": name}})


def owned_by(kind: str, name: str, api_version: str) -> Object:
    owner = {"apiVersion": api_version, "kind": kind, "name": name, "uid": "u", "controller": True}
    return pod(metadata={"ownerReferences": [owner]})


async def test_the_pod_of_a_job_with_one_gpu_pod_has_no_peers(client: LocalClient) -> None:
    alone, gang = job_spec(1, **GPU), job_spec(2, **GPU)
    for name, spec in (("one", alone), ("two", gang)):
        body = job_set((spec, 1)) | {"metadata": {"name": name}}
        await client.create(JOB_SETS, body, namespace="default")
        await client.create(JOBS, job(spec) | {"metadata": {"name": name}}, namespace="default")
    assert not await can_have_peers(client, of_job_set("one"))
    assert await can_have_peers(client, of_job_set("two"))
    assert not await can_have_peers(client, owned_by("Job", "one", "batch/v1"))
    assert await can_have_peers(client, owned_by("Job", "two", "batch/v1"))


async def test_a_pod_whose_job_cannot_be_counted_is_taken_for_one_of_a_gang(client: LocalClient) -> None:
    given_otherwise = job_set((job_spec(1), 1)) | {"metadata": {"name": "given-otherwise"}}
    await client.create(JOB_SETS, given_otherwise, namespace="default")
    assert await can_have_peers(client, of_job_set("given-otherwise"))
    assert await can_have_peers(client, of_job_set("gone"))
    assert await can_have_peers(client, owned_by("Job", "gone", "batch/v1"))
    assert await can_have_peers(client, owned_by("RayCluster", "ray", "ray.io/v1"))
