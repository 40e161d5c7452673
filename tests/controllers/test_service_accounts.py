"""Every namespace has its account and the CA, also after somebody deleted them."""

from collections.abc import Awaitable, Callable

import pytest

from sidings.api.objects import uid_of
from sidings.api.resources import CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS
from sidings.api.status import NotFound
from sidings.host.control_plane import ControlPlane

pytestmark = pytest.mark.looptime
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


async def test_both_come_and_come_back(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})

    async def present() -> bool:
        try:
            await client.get(SERVICE_ACCOUNTS, "default", "team")
            return bool((await client.get(CONFIG_MAPS, "kube-root-ca.crt", "team"))["data"]["ca.crt"] == "CA")
        except NotFound:
            return False

    await until(present)
    before = await client.get(SERVICE_ACCOUNTS, "default", "team")
    await client.delete(SERVICE_ACCOUNTS, "default", "team")
    await client.patch(CONFIG_MAPS, "kube-root-ca.crt", {"data": {"ca.crt": "forged"}}, namespace="team")

    async def restored() -> bool:
        return await present() and uid_of(await client.get(SERVICE_ACCOUNTS, "default", "team")) != uid_of(before)

    await until(restored)
