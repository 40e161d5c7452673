"""Resources that no flavor could mend: requests above limits, and the LimitRanges of the namespace.

Such a workload is refused before flavors are looked at (reason Misconfigured). Of several LimitRanges the lowest
maximum and the highest minimum count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from sidings.api import fields, pod_resources, quantity
from sidings.api.fields import FieldError
from sidings.api.objects import Object

OVER_LIMITS = "requests must not exceed its limits"
ABOVE_MAXIMUM = "requests must not be above the limitRange max"
BELOW_MINIMUM = "requests must not be below the limitRange min"

Amounts = Mapping[str, Decimal]


def over_limits(pod_sets: Iterable[Mapping[str, Any]]) -> str:
    """The complaint about containers that request more than they may use; empty if there are none."""
    errors = [
        fields.invalid(path, over, OVER_LIMITS)
        for spec, where in _pods(pod_sets)
        for container, path in _containers(spec, where)
        if (over := _greater(_amounts(container, "requests"), _amounts(container, "limits")))
    ]
    return f"resources validation failed: {_joined(errors)}" if errors else ""


def out_of_ranges(pod_sets: Iterable[Mapping[str, Any]], limit_ranges: Iterable[Object]) -> str:
    """The complaint about pods and containers outside the LimitRanges of their namespace; empty if there are none."""
    limits = [item for limit_range in limit_ranges for item in limit_range["spec"]["limits"]]
    containers, pods = ([i for i in limits if i["type"] == type_] for type_ in ("Container", "Pod"))
    errors: list[FieldError] = []
    for spec, where in _pods(pod_sets):
        for container, path in _containers(spec, where):
            requests, most = _amounts(container, "requests"), _amounts(container, "limits")
            least = {name: min(amounts) for name, amounts in _both(requests, most)}
            largest = {name: max(amounts) for name, amounts in _both(requests, most)}
            errors += _outside(path, least, largest, containers)
        total = pod_resources.of_spec(spec)
        errors += _outside(where, total, total, pods)
    return f"resources didn't satisfy LimitRange constraints: {_joined(errors)}" if errors else ""


def _outside(path: str, least: Amounts, largest: Amounts, limits: list[Mapping[str, Any]]) -> Iterator[FieldError]:
    if above := _greater(largest, _extreme(limits, "max", min)):
        yield fields.invalid(path, above, ABOVE_MAXIMUM)
    if below := _greater(_extreme(limits, "min", max), least):
        yield fields.invalid(path, below, BELOW_MINIMUM)


def _extreme(limits: list[Mapping[str, Any]], bound: str, choose: Any) -> dict[str, Decimal]:
    result: dict[str, Decimal] = {}
    for item in limits:
        for name, value in (item.get(bound) or {}).items():
            amount = quantity.parse(value)
            result[name] = choose(result[name], amount) if name in result else amount
    return result


def _greater(left: Amounts, right: Amounts) -> list[str]:
    """Names of what both have and ``left`` has more of."""
    return sorted(name for name, amount in left.items() if name in right and amount > right[name])


def _both(left: Amounts, right: Amounts) -> Iterator[tuple[str, list[Decimal]]]:
    for name in left.keys() | right.keys():
        yield name, [amounts[name] for amounts in (left, right) if name in amounts]


def _amounts(container: Mapping[str, Any], kind: str) -> dict[str, Decimal]:
    resources = (container.get("resources") or {}).get(kind) or {}
    return {name: quantity.parse(value) for name, value in resources.items()}


def _pods(pod_sets: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Object, str]]:
    for index, entry in enumerate(pod_sets):
        yield entry["template"]["spec"], f"spec.podSets[{index}].template.spec"


def _containers(spec: Object, where: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    for kind in ("initContainers", "containers"):
        for position, container in enumerate(spec.get(kind) or ()):
            yield container, f"{where}.{kind}[{position}]"


def _joined(errors: list[FieldError]) -> str:
    """As Go prints an aggregate: one alone, several in brackets."""
    texts = list(dict.fromkeys(str(error) for error in errors))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
