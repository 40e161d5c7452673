"""EndpointSlices say what Endpoints say."""

from collections.abc import Awaitable, Callable

import pytest

from sidings.api.objects import Object
from sidings.api.resources import ENDPOINT_SLICES, ENDPOINTS, SERVICES
from sidings.controllers.endpoint_slices import MANAGED_BY, MIRROR, MOST_ENDPOINTS, slices
from sidings.host.control_plane import ControlPlane

Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
SERVICE: Object = {"metadata": {"name": "web", "namespace": "default", "uid": "s"}, "spec": {"selector": {"app": "x"}}}


def _endpoints(*subsets: Object) -> Object:
    return {"metadata": {"name": "web", "namespace": "default", "uid": "e"}, "subsets": list(subsets)}


def test_every_subset_is_a_slice() -> None:
    reference = {"kind": "Pod", "name": "a"}
    first = {
        "addresses": [{"ip": "10.0.0.1", "nodeName": "n", "targetRef": reference, "hostname": "a"}],
        "notReadyAddresses": [{"ip": "10.0.0.2"}],
        "ports": [{"port": 80, "protocol": "TCP"}],
    }
    one, two = slices(SERVICE, _endpoints(first, {"addresses": [{"ip": "10.0.0.3"}]}))
    assert one["ports"] == [{"name": "", "port": 80, "protocol": "TCP"}]
    assert one["endpoints"] == [
        {
            "addresses": ["10.0.0.1"],
            "conditions": {"ready": True, "serving": True, "terminating": False},
            "nodeName": "n",
            "targetRef": reference,
            "hostname": "a",
        },
        {"addresses": ["10.0.0.2"], "conditions": {"ready": False, "serving": False, "terminating": False}},
    ]
    assert (two["ports"], len(two["endpoints"])) == ([], 1)
    assert one["metadata"]["labels"]["kubernetes.io/service-name"] == "web"
    [owner] = one["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"]) == ("Service", "s")
    assert one["metadata"]["name"] != two["metadata"]["name"]


def test_no_endpoints_are_an_empty_slice_and_very_many_are_several() -> None:
    [empty] = slices(SERVICE, _endpoints())
    assert empty["endpoints"] == []
    many = [{"ip": f"10.0.{n // 250}.{n % 250}"} for n in range(MOST_ENDPOINTS + 1)]
    assert [len(made["endpoints"]) for made in slices(SERVICE, _endpoints({"addresses": many}))] == [MOST_ENDPOINTS, 1]


@pytest.mark.looptime
async def test_endpoints_written_by_hand_are_mirrored_and_go_with_them(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    ports = [{"port": 5432}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db"}, "spec": {"ports": ports}}
    await client.create(SERVICES, service, namespace="default")
    subsets = [{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 5432, "protocol": "TCP"}]}]
    endpoints = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "db"}, "subsets": subsets}
    await client.create(ENDPOINTS, endpoints, namespace="default")

    async def found(*addresses: str) -> bool:
        items = (await client.list(ENDPOINT_SLICES, "default", label_selector=f"{MANAGED_BY}={MIRROR}")).items
        return [address for one in items for each in one["endpoints"] for address in each["addresses"]] == [*addresses]

    await until(lambda: found("192.0.2.1"))
    subsets[0]["addresses"] = [{"ip": "192.0.2.2"}]
    await client.patch(ENDPOINTS, "db", {"subsets": subsets}, namespace="default")
    await until(lambda: found("192.0.2.2"))
    await client.delete(ENDPOINTS, "db", "default")
    await until(lambda: found())
