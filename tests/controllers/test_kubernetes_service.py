"""The way to the API server is there from the start, and comes back."""

from collections.abc import Awaitable, Callable

import pytest

from sidings.api.resources import ENDPOINT_SLICES, ENDPOINTS, SERVICES
from sidings.api.status import NotFound
from sidings.host.control_plane import ControlPlane

pytestmark = pytest.mark.looptime
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


async def _is_there(plane: ControlPlane) -> bool:
    try:
        service = await plane.client.get(SERVICES, "kubernetes", "default")
        endpoints = await plane.client.get(ENDPOINTS, "kubernetes", "default")
        piece = await plane.client.get(ENDPOINT_SLICES, "kubernetes", "default")
    except NotFound:
        return False
    [subset] = endpoints["subsets"]
    return bool(
        service["spec"]["clusterIP"] == "10.96.0.1"
        and [port["port"] for port in service["spec"]["ports"]] == [443]
        and subset["addresses"] == [{"ip": "10.244.0.1"}]
        and subset["ports"] == [{"name": "https", "port": 6443, "protocol": "TCP"}]
        and piece["endpoints"] == [{"addresses": ["10.244.0.1"], "conditions": {"ready": True}}]
    )


async def test_it_comes_and_comes_back(plane: ControlPlane, until: Until) -> None:
    await until(lambda: _is_there(plane))
    await plane.client.delete(SERVICES, "kubernetes", "default")
    await plane.client.patch(ENDPOINTS, "kubernetes", {"subsets": []}, namespace="default")
    await until(lambda: _is_there(plane))


async def test_it_has_one_slice_only(plane: ControlPlane, until: Until) -> None:
    await until(lambda: _is_there(plane))
    assert [one["metadata"]["name"] for one in (await plane.client.list(ENDPOINT_SLICES)).items] == ["kubernetes"]
