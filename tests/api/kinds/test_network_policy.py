from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.api.kinds.network_policy import KIND, NOT_ENFORCED
from sidings.api.objects import Object

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def _errors(**spec: Any) -> list[str]:
    obj = {"metadata": {"name": "p"}, "spec": {"podSelector": {}, **spec}}
    KIND.rules.default(obj)
    return [str(error) for error in KIND.rules.validate(obj)]


def test_types_follow_the_rules_that_are_there() -> None:
    cases: list[tuple[Object, list[str]]] = [({}, ["Ingress"]), ({"egress": [{}]}, ["Ingress", "Egress"])]
    for spec, types in cases:
        obj: Object = {"spec": {"podSelector": {}, **spec}}
        KIND.rules.default(obj)
        assert obj["spec"]["policyTypes"] == types


def test_a_usual_policy_is_right() -> None:
    peers = [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"a": "b"}}}]
    block = {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}
    ports = [{"port": 80, "endPort": 90}, {"port": "http", "protocol": "UDP"}, {}]
    assert _errors(ingress=[{"from": peers, "ports": ports}], egress=[{"to": [block]}]) == []


@pytest.mark.parametrize(
    ("peer", "message"),
    [
        ({}, "spec.ingress[0].from[0]: must specify a peer"),
        (
            {"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}},
            "spec.ingress[0].from[0]: may not specify both ipBlock and another peer",
        ),
        (
            {"ipBlock": {"cidr": "10.0.0.0"}},
            "spec.ingress[0].from[0].ipBlock.cidr: must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
        ),
        (
            {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.0/8"]}},
            "spec.ingress[0].from[0].ipBlock.except[0]: must be a strict subset of `cidr`",
        ),
        (
            {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["2001:db8::/64"]}},
            "spec.ingress[0].from[0].ipBlock.except[0]: must be a strict subset of `cidr`",
        ),
    ],
)
def test_peers(peer: dict[str, Any], message: str) -> None:
    [error] = _errors(ingress=[{"from": [peer]}])
    path, _, detail = message.partition(": ")
    assert error.startswith(path + ": ") and error.endswith(detail)


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ({"port": 0}, "port: must be between 1 and 65535, inclusive"),
        ({"endPort": 5}, "endPort: may not be specified when `port` is not specified"),
        ({"port": "http", "endPort": 5}, "endPort: may not be specified when `port` is non-numeric"),
        ({"port": 9, "endPort": 5}, "endPort: must be greater than or equal to `port`"),
        ({"port": 9, "protocol": "ICMP"}, 'protocol: supported values: "SCTP", "TCP", "UDP"'),
    ],
)
def test_ports(port: dict[str, Any], message: str) -> None:
    [error] = _errors(egress=[{"ports": [port]}])
    path, _, detail = message.partition(": ")
    assert error.startswith(f"spec.egress[0].ports[0].{path}: ") and error.endswith(detail)


def test_policy_types() -> None:
    [error] = _errors(policyTypes=["Both"])
    assert error == 'spec.policyTypes[0]: Unsupported value: "Both": supported values: "Egress", "Ingress"'
    [error] = _errors(policyTypes=["Ingress", "Egress", "Ingress"])
    assert error.endswith("may not specify more than two policyTypes")


def test_who_writes_one_is_told_that_nobody_keeps_it() -> None:
    obj: Object = {"spec": {"podSelector": {}}}
    assert KIND.rules.warnings(obj, None) == [NOT_ENFORCED]
    assert KIND.rules.warnings(obj, obj) == []


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ({}, "<none>"),
        ({"matchLabels": {"b": "1", "a": "2"}}, "a=2,b=1"),
        (
            {
                "matchExpressions": [
                    {"key": "a", "operator": "In", "values": ["y", "x"]},
                    {"key": "b", "operator": "DoesNotExist"},
                ]
            },
            "a in (x,y),!b",
        ),
    ],
)
def test_the_selector_column(selector: dict[str, Any], text: str) -> None:
    cell = KIND.columns[1].cell
    assert cell is not None and cell({"spec": {"podSelector": selector}}, NOW) == text
