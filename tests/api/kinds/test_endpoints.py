from __future__ import annotations

from typing import Any

import pytest

from sidings.api.kinds.endpoints import KIND


def _endpoints(**subset: Any) -> dict[str, Any]:
    return {"metadata": {"name": "web"}, "subsets": [{"addresses": [{"ip": "192.0.2.7"}], **subset}]}


def test_ports_are_tcp_by_default() -> None:
    obj = _endpoints(ports=[{"port": 80}])
    KIND.rules.default(obj)
    assert obj["subsets"][0]["ports"] == [{"port": 80, "protocol": "TCP"}]
    assert KIND.rules.validate(obj) == []


@pytest.mark.parametrize(
    ("subset", "path"),
    [
        ({"addresses": []}, "subsets[0]"),
        ({"addresses": [{"ip": "web.example"}]}, "subsets[0].addresses[0].ip"),
        ({"notReadyAddresses": [{"ip": "127.0.0.1"}]}, "subsets[0].notReadyAddresses[0].ip"),
        ({"ports": [{"port": 0}]}, "subsets[0].ports[0].port"),
        ({"ports": [{"port": 80}, {"port": 81, "name": "a"}]}, "subsets[0].ports[0].name"),
        ({"ports": [{"port": 80, "protocol": "ICMP"}]}, "subsets[0].ports[0].protocol"),
    ],
)
def test_what_is_wrong(subset: dict[str, Any], path: str) -> None:
    obj = _endpoints(**subset)
    KIND.rules.default(obj)
    assert [error.field for error in KIND.rules.validate(obj)] == [path]
