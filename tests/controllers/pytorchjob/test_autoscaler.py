"""The autoscaler of an elastic job (cases 9 and 11), on a control plane in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.resources import AUTOSCALERS, PYTORCH_JOBS
from sidings.api.status import NotFound
from sidings.host.control_plane import ControlPlane
from tests import control_planes

pytestmark = pytest.mark.looptime

METRICS = [
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
]


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    async for made in control_planes.running():
        yield made


async def submit(plane: ControlPlane, **policy: Any) -> None:
    worker = {"replicas": 1, "template": {"spec": {"containers": [{"name": "pytorch", "image": "i"}]}}}
    spec = {"elasticPolicy": {"minReplicas": 1, "maxReplicas": 3, **policy}, "pytorchReplicaSpecs": {"Worker": worker}}
    await plane.client.create(PYTORCH_JOBS, {"metadata": {"name": "x"}, "spec": spec}, namespace="default")
    await plane.clock.sleep(1)


async def autoscaler(plane: ControlPlane) -> Object | None:
    try:
        return await plane.client.get(AUTOSCALERS, "x", "default")
    except NotFound:
        return None


async def change(plane: ControlPlane, **spec: Any) -> None:
    await plane.client.patch(PYTORCH_JOBS, "x", {"spec": spec}, namespace="default")
    await plane.clock.sleep(1)


async def test_made_from_the_policy_with_an_honest_status(plane: ControlPlane) -> None:
    await submit(plane, metrics=METRICS)
    found = await autoscaler(plane)
    assert found is not None
    assert found["spec"] == {
        "scaleTargetRef": {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "x"},
        "minReplicas": 1,
        "maxReplicas": 3,
        "metrics": METRICS,
    }
    assert found["metadata"]["ownerReferences"][0]["name"] == "x"
    (condition,) = found["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("ScalingActive", "False", "NoAutoscaler")
    assert "kubectl scale -n default pytorchjob/x --replicas=N" in condition["message"]


async def test_follows_the_policy(plane: ControlPlane) -> None:
    await submit(plane, metrics=METRICS)
    await change(plane, elasticPolicy={"maxReplicas": 5})
    assert ((await autoscaler(plane)) or {})["spec"]["maxReplicas"] == 5
    await change(plane, elasticPolicy={"metrics": None})
    assert await autoscaler(plane) is None


async def test_is_gone_while_the_job_is_suspended(plane: ControlPlane) -> None:
    await submit(plane, metrics=METRICS)
    await change(plane, runPolicy={"suspend": True})
    assert await autoscaler(plane) is None
    await change(plane, runPolicy={"suspend": False})
    assert await autoscaler(plane) is not None


async def test_none_without_metrics(plane: ControlPlane) -> None:
    await submit(plane)
    assert await autoscaler(plane) is None


async def test_of_somebody_else_is_left_alone(plane: ControlPlane) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    theirs = {"metadata": {"name": "x"}, "spec": {"scaleTargetRef": target, "maxReplicas": 9}}
    await plane.client.create(AUTOSCALERS, theirs, namespace="default")
    await submit(plane, metrics=METRICS)
    assert ((await autoscaler(plane)) or {})["spec"]["maxReplicas"] == 9
