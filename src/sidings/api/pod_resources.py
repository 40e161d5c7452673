"""What a pod asks of a node: its effective requests, and the quality-of-service class that follows from them.

The rule is ``k8s.io/component-helpers/resource`` (v0.36): containers run together, so theirs add up; init containers
run one after another before them, so only the largest counts; an init container with ``restartPolicy: Always`` stays,
so it adds to everything after it. A limit without a request is a request. Quantities are exact decimals in base units
(cores, bytes, pieces).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from sidings.api import quantity
from sidings.api.objects import Object

Amounts = dict[str, Decimal]

_POD_LEVEL = ("cpu", "memory")
_QOS_RESOURCES = ("cpu", "memory")


def of_pod(pod: Mapping[str, Any]) -> Amounts:
    """Effective requests of a pod."""
    return of_spec(pod["spec"])


def of_spec(spec: Mapping[str, Any]) -> Amounts:
    """Effective requests of a pod spec or of the spec in a pod template."""
    total: Amounts = {}
    for container in spec.get("containers") or ():
        add(total, of_container(container))
    staying: Amounts = {}
    largest: Amounts = {}
    for container in spec.get("initContainers") or ():
        requests = of_container(container)
        if container.get("restartPolicy") == "Always":
            add(staying, requests)
            requests = dict(staying)
        else:
            add(requests, staying)
        _raise(largest, requests)
    add(total, staying)
    _raise(total, largest)
    own = requested(spec.get("resources"))
    total.update({name: own[name] for name in own if name in _POD_LEVEL or name.startswith("hugepages-")})
    add(total, _parsed(spec.get("overhead")))
    return total


def of_container(container: Mapping[str, Any]) -> Amounts:
    """Requests of one container."""
    return requested(container.get("resources"))


def requested(resources: Mapping[str, Any] | None) -> Amounts:
    """Requests of a ``ResourceRequirements``, limits standing in for requests that are not there."""
    resources = resources or {}
    return _parsed({**(resources.get("limits") or {}), **(resources.get("requests") or {})})


def add(total: Amounts, more: Mapping[str, Decimal]) -> None:
    """Adds ``more`` to ``total`` in place."""
    for name, amount in more.items():
        total[name] = total.get(name, Decimal(0)) + amount


def text_of(name: str, amount: Decimal) -> str:
    """An amount of the resource ``name`` as Kubernetes prints a sum of it: bytes in the binary family."""
    if name.endswith(("memory", "storage")):
        return quantity.binary(int(amount))
    return quantity.canonical(str(amount))


def qos_class(spec: Mapping[str, Any]) -> str:
    """``Guaranteed``, ``Burstable`` or ``BestEffort``: who is killed last when a node runs out of memory."""
    containers: Iterable[Object] = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    guaranteed, asked = True, False
    for container in containers:
        resources = container.get("resources") or {}
        limits = _positive(resources.get("limits"))
        requests = {**limits, **_positive(resources.get("requests"))}
        asked = asked or bool(requests)
        guaranteed = guaranteed and set(limits) == set(_QOS_RESOURCES) and limits == requests
    if not asked:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"


def _positive(amounts: Mapping[str, Any] | None) -> Amounts:
    parsed = _parsed({name: value for name, value in (amounts or {}).items() if name in _QOS_RESOURCES})
    return {name: amount for name, amount in parsed.items() if amount > 0}


def _parsed(amounts: Mapping[str, Any] | None) -> Amounts:
    return {name: quantity.parse(value) for name, value in (amounts or {}).items()}


def _raise(total: Amounts, other: Mapping[str, Decimal]) -> None:
    for name, amount in other.items():
        total[name] = max(total.get(name, amount), amount)
