from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object, uid_of
from sidings.node.backends import Backends, cluster_address
from tests.node.pods import pod, service

ADDRESSES = {"a": "10.244.1.2", "b": "10.244.1.3"}


def _pod(uid: str, *, ready: bool = True, **metadata: Any) -> Object:
    made = pod(uid=uid, metadata={"labels": {"app": "x"}, **metadata})
    return made | {"status": {"conditions": [{"type": "Ready", "status": str(ready)}]}}


def _behind(wanted: Object, *pods: Object) -> list[str]:
    return [uid_of(found) for found, _ in Backends(pods, ADDRESSES).of(wanted)]


def test_ready_pods_with_an_address_count_and_others_where_the_service_says_so() -> None:
    pods = (_pod("a"), _pod("b", ready=False), _pod("without"))
    assert _behind(service("web", {"app": "x"}, at_once=False), *pods) == ["a"]
    assert _behind(service("web", {"app": "x"}), *pods) == ["a", "b"]


def test_pods_of_other_labels_or_namespaces_do_not() -> None:
    assert _behind(service("web", {"app": "y"}), _pod("a")) == []
    assert _behind(service("web", {"app": "x"}), _pod("a", namespace="team")) == []
    assert _behind(service("web", {}), _pod("a")) == [], "a Service without a selector has no pods"


@pytest.mark.parametrize(
    ("spec", "address"),
    [
        ({"clusterIP": "10.96.0.9", "ports": [{"port": 1}, {"port": 2, "protocol": "UDP"}]}, "10.96.0.9"),
        ({"clusterIP": "10.96.0.9", "ports": [{"port": 1, "protocol": "SCTP"}]}, ""),
        ({"clusterIP": "None"}, ""),
        ({"type": "ExternalName"}, ""),
    ],
)
def test_what_has_an_address_that_can_be_carried(spec: dict[str, Any], address: str) -> None:
    assert cluster_address({"spec": spec}) == address
