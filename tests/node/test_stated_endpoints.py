"""EndpointSlices of Services without a selector: what counts of them."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.node.stated_endpoints import StatedEndpoints

PODS = ["10.244.1.2"]


def _service(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "db", "namespace": "default"}, "spec": spec}


def _slice(*addresses: str, **fields: Any) -> dict[str, Any]:
    labels = {"kubernetes.io/service-name": "db"}
    return {
        "metadata": {"name": "db-1", "namespace": "default", "labels": labels},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [address]} for address in addresses],
        "ports": [{"name": "", "port": 5432, "protocol": "TCP"}],
        **fields,
    }


def test_a_port_leads_to_that_of_the_same_name_whatever_its_target_port() -> None:
    ports = [
        {"name": "sql", "port": 5432},
        {"name": "metrics", "port": 9187},
        {"name": "sql", "port": 9, "protocol": "UDP"},
    ]
    stated = StatedEndpoints([_slice("192.0.2.7", "10.244.1.2", ports=ports)], PODS)
    port = {"name": "sql", "port": 80, "targetPort": 8080}
    assert stated.targets(_service(), port) == ["192.0.2.7:5432", "10.244.1.2:5432"]
    assert stated.targets(_service(), {"port": 80}) == []


def test_slices_add_up_and_an_address_counts_once() -> None:
    stated = StatedEndpoints([_slice("192.0.2.7"), _slice("192.0.2.8", "192.0.2.7")], PODS)
    assert stated.addresses(_service()) == ["192.0.2.7", "192.0.2.8"]


def test_what_is_not_ready_counts_only_where_the_service_says_so() -> None:
    endpoints = [
        {"addresses": ["192.0.2.7"], "conditions": {"ready": False}},
        {"addresses": ["192.0.2.8"], "conditions": {}},
    ]
    stated = StatedEndpoints([_slice(endpoints=endpoints)], PODS)
    assert stated.addresses(_service()) == ["192.0.2.8"]
    assert stated.addresses(_service(publishNotReadyAddresses=True)) == ["192.0.2.7", "192.0.2.8"]


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.244.9.9", "10.96.0.1", "0.0.0.0"])
def test_what_pods_cannot_reach_by_themselves_is_not_reached_by_a_service(address: str) -> None:
    assert StatedEndpoints([_slice(address)], PODS).addresses(_service()) == []


def test_services_with_a_selector_and_other_families_and_namespaces_have_none() -> None:
    elsewhere = _slice("192.0.2.7")
    elsewhere["metadata"]["namespace"] = "other"
    stated = StatedEndpoints([elsewhere, _slice("2001:db8::1", addressType="IPv6")], PODS)
    assert stated.addresses(_service()) == []
    assert StatedEndpoints([_slice("192.0.2.7")], PODS).addresses(_service(selector={"a": "b"})) == []


def test_the_gateway_counts_where_the_node_serves_something_itself() -> None:
    assert StatedEndpoints([_slice("10.244.0.1", "10.244.0.9")], PODS).addresses(_service()) == ["10.244.0.1"]
