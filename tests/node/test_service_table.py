from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidings.node.network import AddressPool
from sidings.node.service_table import ServiceTable, table
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
    service = _service({"port": 80, "targetPort": 8080}, {"port": 443})
    assert table([service], [_pod("a"), _pod("b", ready=False)], ADDRESSES) == {
        "10.96.0.9:80": ["10.244.1.2:8080"],
        "10.96.0.9:443": ["10.244.1.2:443"],
    }
    service["spec"]["publishNotReadyAddresses"] = True
    assert len(table([service], [_pod("a"), _pod("b", ready=False)], ADDRESSES)["10.96.0.9:80"]) == 2


def test_a_named_target_port_is_looked_up_in_each_pod() -> None:
    pods = [_pod("a", name="http", containerPort=1), _pod("b", name="http", containerPort=2)]
    found = table([_service({"port": 80, "targetPort": "http"})], [*pods, _pod("c")], ADDRESSES | {"c": "10.244.1.4"})
    assert found == {"10.96.0.9:80": ["10.244.1.2:1", "10.244.1.3:2"]}


@pytest.mark.parametrize(
    "spec",
    [
        {"clusterIP": "None"},
        {"selector": {}},
        {"ports": [{"port": 53, "protocol": "UDP"}]},
        {"selector": {"app": "other"}},
    ],
)
def test_what_leads_nowhere(spec: dict[str, Any]) -> None:
    assert not any(table([_service(**spec)], [_pod("a")], ADDRESSES).values())


def test_the_file_is_replaced_only_when_something_changed(tmp_path: Path) -> None:
    addresses = AddressPool()
    addresses.claim("a", "10.244.1.2")
    made = ServiceTable(tmp_path / "services.json", addresses)
    made.refresh([_service()], [_pod("a")])
    first = (tmp_path / "services.json").stat().st_ino
    made.refresh([_service()], [_pod("a")])
    assert (tmp_path / "services.json").stat().st_ino == first
    assert json.loads((tmp_path / "services.json").read_text()) == {"10.96.0.9:80": ["10.244.1.2:80"]}
