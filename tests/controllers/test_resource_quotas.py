"""The status of a quota follows what is in its namespace."""

from collections.abc import Awaitable, Callable

import pytest

from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, RESOURCE_QUOTAS
from sidings.host.control_plane import ControlPlane

pytestmark = pytest.mark.looptime
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
QUOTA: Object = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "q", "namespace": "default"},
    "spec": {"hard": {"configmaps": "9", "pods": "5"}},
}


async def test_used_follows(plane: ControlPlane, until: Until) -> None:
    await plane.client.create(RESOURCE_QUOTAS, QUOTA)

    async def used(count: str) -> bool:
        status = (await plane.client.get(RESOURCE_QUOTAS, "q", "default")).get("status")
        return status == {"hard": QUOTA["spec"]["hard"], "used": {"configmaps": count, "pods": "0"}}

    await until(lambda: used("1"))
    wanted = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "default"}}
    await plane.client.create(CONFIG_MAPS, wanted)
    await until(lambda: used("2"))
