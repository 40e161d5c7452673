from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.api.kinds.endpoint_slice import KIND

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def _slice(**fields: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "web-abc"},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.0.0.1"]}],
        **fields,
    }


def test_ports_are_tcp_without_a_name_by_default() -> None:
    obj = _slice(ports=[{"port": 80}])
    KIND.rules.default(obj)
    assert obj["ports"] == [{"port": 80, "name": "", "protocol": "TCP"}]
    assert KIND.rules.validate(obj) == []


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"addressType": ""}, "addressType"),
        ({"addressType": "MAC"}, "addressType"),
        ({"endpoints": [{"addresses": []}]}, "endpoints[0].addresses"),
        ({"ports": [{"port": 1, "protocol": "ICMP"}]}, "ports[0].protocol"),
    ],
)
def test_what_is_wrong(fields: dict[str, Any], path: str) -> None:
    assert [error.field for error in KIND.rules.validate(_slice(**fields))] == [path]


def test_the_address_type_stays() -> None:
    assert [error.field for error in KIND.rules.validate_update(_slice(addressType="IPv6"), _slice())] == [
        "addressType"
    ]
    assert KIND.rules.validate_update(_slice(), _slice()) == []


def test_columns() -> None:
    def cells(**fields: Any) -> list[Any]:
        return [column.cell(_slice(**fields), NOW) for column in KIND.columns[1:4] if column.cell]

    assert cells() == ["IPv4", "<unset>", "10.0.0.1"]
    many = [{"addresses": [f"10.0.0.{n}"]} for n in range(5)]
    assert cells(ports=[{"port": 80}, {}], endpoints=many) == ["IPv4", "80,*", "10.0.0.0,10.0.0.1,10.0.0.2 + 2 more..."]
