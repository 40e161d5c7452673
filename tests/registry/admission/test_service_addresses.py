"""Which addresses and node ports Services get, and that nobody gets another's."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.resources import SERVICES
from sidings.api.status import Invalid


async def _create(api: Any, name: str, **spec: Any) -> Object:
    ports = spec.pop("ports", [{"port": 80}])
    body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"ports": ports, **spec}}
    made: Object = await api.create(SERVICES, body)
    return made


async def test_a_node_port_is_found_and_kept(api: Any) -> None:
    made = await _create(api, "web", type="NodePort")
    [port] = made["spec"]["ports"]
    assert 30000 <= port["nodePort"] <= 32767
    changed = await api.patch(SERVICES, "web", {"spec": {"ports": [{"port": 80, "targetPort": 8080}]}})
    assert changed["spec"]["ports"][0]["nodePort"] == port["nodePort"]


async def test_node_ports_go_when_the_type_no_longer_has_them(api: Any) -> None:
    await _create(api, "web", type="NodePort")
    changed = await api.patch(SERVICES, "web", {"spec": {"type": "ClusterIP"}})
    assert "nodePort" not in changed["spec"]["ports"][0] and "externalTrafficPolicy" not in changed["spec"]
    again = await api.patch(SERVICES, "web", {"spec": {"type": "NodePort"}})
    assert again["spec"]["ports"][0]["nodePort"]


async def test_a_node_port_belongs_to_one_service_and_protocol(api: Any) -> None:
    asked = [{"port": 80, "nodePort": 30080}]
    await _create(api, "one", type="NodePort", ports=asked)
    with pytest.raises(
        Invalid, match=r"spec.ports\[0\].nodePort: Invalid value: 30080: provided port is already alloc"
    ):
        await _create(api, "two", type="NodePort", ports=asked)
    await _create(api, "udp", type="NodePort", ports=[{"port": 80, "nodePort": 30080, "protocol": "UDP"}])
    with pytest.raises(Invalid, match=r"The range of valid ports is 30000-32767"):
        await _create(api, "low", type="NodePort", ports=[{"port": 80, "nodePort": 80}])


async def test_several_ports_get_different_node_ports(api: Any) -> None:
    ports = [{"name": f"p{n}", "port": n} for n in range(1, 9)]
    made = await _create(api, "many", type="LoadBalancer", ports=ports)
    assert len({port["nodePort"] for port in made["spec"]["ports"]}) == len(ports)


async def test_a_load_balancer_may_do_without(api: Any) -> None:
    made = await _create(api, "lb", type="LoadBalancer", allocateLoadBalancerNodePorts=False)
    assert "nodePort" not in made["spec"]["ports"][0]


async def test_an_address_belongs_to_one_service(api: Any) -> None:
    await _create(api, "one", clusterIP="10.96.0.99")
    with pytest.raises(Invalid, match=r"failed to allocate IP 10.96.0.99: provided IP is already allocated"):
        await _create(api, "two", clusterIP="10.96.0.99")
    with pytest.raises(Invalid, match=r"is not in the valid range. The range of valid IPs is 10.96.0.0/12"):
        await _create(api, "three", clusterIP="192.0.2.1")


async def test_a_service_that_stops_being_an_alias_gets_an_address(api: Any) -> None:
    made = await _create(api, "db", type="ExternalName", externalName="db.example.com")
    assert "clusterIP" not in made["spec"]
    changed = await api.patch(SERVICES, "db", {"spec": {"type": "ClusterIP", "externalName": None}})
    assert changed["spec"]["clusterIP"].startswith("10.")


async def test_headless_services_need_none(api: Any) -> None:
    made = await _create(api, "js", clusterIP="None", ports=[])
    assert made["spec"]["clusterIP"] == "None"
