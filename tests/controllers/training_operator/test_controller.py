"""PyTorchJobs in a whole control plane on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sidings.api import conditions, objects
from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, EVENTS, MPI_JOBS, PODS, PYTORCH_JOBS, SERVICES
from sidings.api.status import NotFound
from sidings.host.control_plane import ControlPlane
from tests.conformance.scripted_kubelet import ScriptedKubelet
from tests.controllers.training_operator.cluster import replica

pytestmark = pytest.mark.looptime

Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


def torch_job(**run_policy: Any) -> Object:
    roles = {"Master": replica("pytorch"), "Worker": replica("pytorch")}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "j"},
        "spec": {"pytorchReplicaSpecs": roles, "runPolicy": run_policy},
    }


async def act(plane: ControlPlane, action: str, *names: str) -> None:
    kubelet = ScriptedKubelet(plane.client, plane.clock, "default")
    for name in names:
        await kubelet.act(name, action, {})
    await asyncio.sleep(2)


async def submit(plane: ControlPlane, **run_policy: Any) -> None:
    await plane.client.create(PYTORCH_JOBS, torch_job(**run_policy), namespace="default")
    await asyncio.sleep(2)


async def job(plane: ControlPlane) -> Object:
    return await plane.client.get(PYTORCH_JOBS, "j", "default")


async def names(plane: ControlPlane) -> list[str]:
    return [objects.name_of(pod) for pod in (await plane.client.list(PODS, "default")).items]


async def test_from_creation_to_success(plane: ControlPlane) -> None:
    await submit(plane)
    assert await names(plane) == ["j-master-0", "j-worker-0"]
    assert [
        objects.name_of(s)
        for s in (await plane.client.list(SERVICES, "default", label_selector="training.kubeflow.org/job-name")).items
    ] == [
        "j-master-0",
        "j-worker-0",
    ]
    await act(plane, "ready", "j-master-0", "j-worker-0")
    assert conditions.is_true(await job(plane), "Running")
    await act(plane, "succeed", "j-master-0", "j-worker-0")
    assert conditions.is_true(await job(plane), "Succeeded")
    reasons = {event["reason"] for event in (await plane.client.list(EVENTS, "default")).items}
    assert {"SuccessfulCreatePod", "SuccessfulCreateService", "PyTorchJobSucceeded", "ExitedWithCode"} <= reasons


async def test_a_deleted_job_takes_its_pods_along(plane: ControlPlane, until: Until) -> None:
    await submit(plane)
    await plane.client.delete(PYTORCH_JOBS, "j", "default")

    async def gone() -> bool:
        return not await names(plane)

    await until(gone)


async def test_case_8_a_job_of_another_manager_is_not_touched(plane: ControlPlane) -> None:
    await submit(plane, managedBy="kueue.x-k8s.io/multikueue", suspend=True)
    await plane.client.patch(PYTORCH_JOBS, "j", {"spec": {"runPolicy": {"suspend": False}}}, namespace="default")
    await asyncio.sleep(5)
    assert "status" not in await job(plane)
    assert await names(plane) == []


async def test_a_deadline_needs_no_event(plane: ControlPlane) -> None:
    await submit(plane, activeDeadlineSeconds=100)
    await act(plane, "ready", "j-master-0", "j-worker-0")
    await asyncio.sleep(95)
    assert not conditions.is_true(await job(plane), "Failed")
    await asyncio.sleep(10)
    assert conditions.is_true(await job(plane), "Failed")


async def test_a_finished_job_deletes_itself_after_its_time(plane: ControlPlane) -> None:
    await submit(plane, ttlSecondsAfterFinished=60)
    await act(plane, "succeed", "j-master-0", "j-worker-0")
    await asyncio.sleep(30)
    await job(plane)
    await asyncio.sleep(40)
    with pytest.raises(NotFound):
        await job(plane)


async def test_an_mpi_job_that_cannot_be_run_gets_an_event_and_no_pods(plane: ControlPlane) -> None:
    roles = {"Worker": replica("mpi")}
    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "MPIJob",
        "metadata": {"name": "m"},
        "spec": {"mpiReplicaSpecs": roles},
    }
    await plane.client.create(MPI_JOBS, job, namespace="default")
    await asyncio.sleep(2)
    (event,) = (await plane.client.list(EVENTS, "default")).items
    assert event["reason"] == "MPIJobFailedValidation"
    assert event["message"].endswith("because MPIReplicaSpec is not valid: Master ReplicaSpec must be present")
    assert await names(plane) == []


async def test_a_role_that_scaling_made_without_a_template_is_told(plane: ControlPlane) -> None:
    lone = torch_job(suspend=True)
    del lone["spec"]["pytorchReplicaSpecs"]["Worker"]
    await plane.client.create(PYTORCH_JOBS, lone, namespace="default")
    scale = {"metadata": {"name": "j", "namespace": "default"}, "spec": {"replicas": 2}}
    await plane.client.update(PYTORCH_JOBS, scale, subresource="scale")
    await asyncio.sleep(2)
    assert (await job(plane))["spec"]["pytorchReplicaSpecs"]["Worker"] == {"replicas": 2}
    told = [each["message"] for each in (await plane.client.list(EVENTS, "default")).items]
    assert any("spec.pytorchReplicaSpecs[Worker].template.spec.containers: Required value" in text for text in told)


async def test_what_a_launcher_needs_is_there_before_it(plane: ControlPlane) -> None:
    roles = {"Launcher": replica("mpi"), "Worker": replica("mpi")}
    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "MPIJob",
        "metadata": {"name": "m"},
        "spec": {"mpiReplicaSpecs": roles},
    }
    await plane.client.create(MPI_JOBS, job, namespace="default")
    await asyncio.sleep(2)
    assert await names(plane) == ["m-launcher", "m-worker-0"]
    assert "hostfile" in (await plane.client.get(CONFIG_MAPS, "m-config", "default"))["data"]
