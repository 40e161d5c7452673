"""The status of a budget follows the pods, and an eviction asks the pods themselves."""

from collections.abc import Awaitable, Callable

import pytest

from sidings.api.objects import Object
from sidings.api.resources import DISRUPTION_BUDGETS, PODS
from sidings.api.status import TooManyRequests
from sidings.client.interface import PatchType
from sidings.host.control_plane import ControlPlane

pytestmark = pytest.mark.looptime
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
BUDGET: Object = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "b", "namespace": "default"},
    "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}},
}


async def running_pod(plane: ControlPlane, name: str) -> None:
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": "a"}},
        "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]},
    }
    await plane.client.create(PODS, body)
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    await plane.client.patch(
        PODS, name, ready, namespace="default", patch_type=PatchType.STRATEGIC, subresource="status"
    )


async def test_a_budget_is_kept(plane: ControlPlane, until: Until) -> None:
    await plane.client.create(DISRUPTION_BUDGETS, BUDGET)
    await running_pod(plane, "p1")
    await running_pod(plane, "p2")

    async def allowed(number: int) -> bool:
        status = (await plane.client.get(DISRUPTION_BUDGETS, "b", "default"))["status"]
        return bool(status["disruptionsAllowed"] == number and status["currentHealthy"] == number + 1)

    await until(lambda: allowed(1))
    await plane.client.create(PODS, {}, namespace="default", name="p1", subresource="eviction")
    with pytest.raises(TooManyRequests):
        await plane.client.create(PODS, {}, namespace="default", name="p2", subresource="eviction")
    await until(lambda: allowed(0))
