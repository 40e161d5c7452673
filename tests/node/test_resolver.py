from __future__ import annotations

from typing import Any

import pytest

from sidings.node import resolver
from tests.node.pods import pod

MACHINE = "nameserver 192.0.2.53\nsearch corp.example\noptions edns0\n"
CLUSTER = "nameserver 10.244.0.1\nsearch default.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n"


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({}, CLUSTER),
        ({"dnsPolicy": "ClusterFirst"}, CLUSTER),
        ({"dnsPolicy": "ClusterFirstWithHostNet", "hostNetwork": True}, CLUSTER),
        ({"dnsPolicy": "ClusterFirst", "hostNetwork": True}, "nameserver 10.244.0.1\nsearch corp.example\n"),
        ({"dnsPolicy": "Default"}, "nameserver 10.244.0.1\nsearch corp.example\n"),
        ({"dnsPolicy": "None", "dnsConfig": {"nameservers": ["1.1.1.1"]}}, "nameserver 1.1.1.1\n"),
    ],
)
def test_policies(spec: dict[str, Any], text: str) -> None:
    assert resolver.text(pod(**spec), MACHINE) == text


def test_the_config_adds_to_the_policy_and_its_options_win() -> None:
    config = {
        "nameservers": ["10.244.0.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"],
        "searches": ["my.dns", "cluster.local"],
        "options": [{"name": "ndots", "value": "2"}, {"name": "edns0"}],
    }
    assert resolver.text(pod(dnsConfig=config), MACHINE) == (
        "nameserver 10.244.0.1\nnameserver 192.0.2.1\nnameserver 192.0.2.2\n"
        "search default.svc.cluster.local svc.cluster.local cluster.local my.dns\n"
        "options ndots:2 edns0\n"
    )
