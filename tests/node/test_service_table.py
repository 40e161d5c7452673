from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidings.node.network import AddressPool
from sidings.node.sandbox.service_proxy import Entry
from sidings.node.service_table import ServiceTable, host_ports, table
from tests.node.pods import container, pod

ADDRESSES = {"a": "10.244.1.2", "b": "10.244.1.3"}
READY = {"conditions": [{"type": "Ready", "status": "True"}]}


def _service(*ports: dict[str, Any], **spec: Any) -> dict[str, Any]:
    fields = {"clusterIP": "10.96.0.9", "selector": {"app": "web"}, "ports": list(ports) or [{"port": 80}]}
    return {"metadata": {"name": "web", "namespace": "default", "uid": "s"}, "spec": fields | spec}


def _pod(uid: str, ready: bool = True, **port: Any) -> dict[str, Any]:
    made = pod(container(ports=[port] if port else []), uid=uid, metadata={"labels": {"app": "web"}})
    return made | {"status": READY if ready else {}}


def test_ready_pods_are_behind_each_port() -> None:
    service = _service({"port": 80, "targetPort": 8080}, {"port": 443}, {"port": 53, "protocol": "UDP"})
    assert table([service], [_pod("a"), _pod("b", ready=False)], ADDRESSES) == {
        "tcp/10.96.0.9:80": Entry(["10.244.1.2:8080"]),
        "tcp/10.96.0.9:443": Entry(["10.244.1.2:443"]),
        "udp/10.96.0.9:53": Entry(["10.244.1.2:53"]),
    }
    service["spec"]["publishNotReadyAddresses"] = True
    found = table([service], [_pod("a"), _pod("b", ready=False)], ADDRESSES)
    assert len(found["tcp/10.96.0.9:80"].targets) == 2


def test_a_named_target_port_is_looked_up_in_each_pod() -> None:
    pods = [_pod("a", name="http", containerPort=1), _pod("b", name="http", containerPort=2)]
    found = table([_service({"port": 80, "targetPort": "http"})], [*pods, _pod("c")], ADDRESSES | {"c": "10.244.1.4"})
    assert found == {"tcp/10.96.0.9:80": Entry(["10.244.1.2:1", "10.244.1.3:2"])}


def test_a_named_target_port_is_of_the_same_protocol() -> None:
    pods = [_pod("a", name="dns", containerPort=53, protocol="UDP")]
    ports = ({"port": 53, "targetPort": "dns", "protocol": "UDP"}, {"port": 53, "targetPort": "dns"})
    found = table([_service(*ports)], pods, ADDRESSES)
    assert found == {"udp/10.96.0.9:53": Entry(["10.244.1.2:53"]), "tcp/10.96.0.9:53": Entry([])}


@pytest.mark.parametrize(
    ("spec", "seconds"),
    [
        ({}, 0),
        ({"sessionAffinity": "ClientIP"}, 10800),
        ({"sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 7}}}, 7),
    ],
)
def test_affinity_lasts_as_long_as_it_says(spec: dict[str, Any], seconds: int) -> None:
    [entry] = table([_service(**spec)], [_pod("a")], ADDRESSES).values()
    assert entry.sticky_seconds == seconds


def test_node_ports_and_host_ports_are_at_the_nodes() -> None:
    nodes = {"node-1": "10.244.1.1", "node-2": "10.244.2.1"}
    service = _service({"port": 80, "nodePort": 30080})
    found = table([service], [_pod("a", containerPort=8080, hostPort=18080)], ADDRESSES, nodes)
    assert found == {
        "tcp/10.96.0.9:80": Entry(["10.244.1.2:80"]),
        "tcp/10.244.1.1:30080": Entry(["10.244.1.2:80"]),
        "tcp/10.244.2.1:30080": Entry(["10.244.1.2:80"]),
        "tcp/10.244.1.1:18080": Entry(["10.244.1.2:8080"]),
    }


def test_a_pod_in_the_nodes_network_needs_no_host_port() -> None:
    made = _pod("a", containerPort=8080, hostPort=8080)
    made["spec"]["hostNetwork"] = True
    assert host_ports(made) == []


@pytest.mark.parametrize(
    "spec",
    [
        {"clusterIP": "None"},
        {"selector": {}},
        {"ports": [{"port": 53, "protocol": "SCTP"}]},
        {"selector": {"app": "other"}},
    ],
)
def test_what_leads_nowhere(spec: dict[str, Any]) -> None:
    assert not any(entry.targets for entry in table([_service(**spec)], [_pod("a")], ADDRESSES).values())


def test_the_file_is_replaced_only_when_something_changed(tmp_path: Path) -> None:
    addresses = AddressPool()
    addresses.claim("a", "10.244.1.2")
    made = ServiceTable(tmp_path / "services.json", addresses, {})
    made.refresh([_service()], [_pod("a")])
    first = (tmp_path / "services.json").stat().st_ino
    made.refresh([_service()], [_pod("a")])
    assert (tmp_path / "services.json").stat().st_ino == first
    assert json.loads((tmp_path / "services.json").read_text()) == {"tcp/10.96.0.9:80": [["10.244.1.2:80"], 0]}
