"""What a LimitRange fills in and what it allows.

Follows ``plugin/pkg/admission/limitranger`` (v1.36): containers without a request or a limit get the namespace's, and
what is below a minimum, above a maximum or too far apart is refused with numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from sidings.api import pod_resources, quantity
from sidings.api.objects import Object
from sidings.api.pod_resources import Amounts

ANNOTATION = "kubernetes.io/limit-ranger"


def fill_in(pod: Object, limit_range: Object) -> list[str]:
    """Give the containers of ``pod`` what they lack; what was given, as upstream's annotation tells it."""
    told: list[str] = []
    for item in _items(limit_range, "Container"):
        defaults = {"limits": item.get("default") or {}, "requests": item.get("defaultRequest") or {}}
        for noun, containers in (("container", "containers"), ("init container", "initContainers")):
            for container in pod["spec"].get(containers) or ():
                told += _fill_in(container, defaults, noun)
    return told


def _fill_in(container: Object, defaults: Mapping[str, Mapping[str, str]], noun: str) -> Iterator[str]:
    resources = dict(container.get("resources") or {})
    given: dict[str, list[str]] = {}
    for word in ("requests", "limits"):
        present = resources.get(word) or {}
        lacking = {name: value for name, value in defaults[word].items() if name not in present}
        # A container's own limit is its request where it names none.
        if word == "requests":
            lacking = {name: value for name, value in lacking.items() if name not in (resources.get("limits") or {})}
        if lacking:
            resources[word] = {**present, **lacking}
            given[word] = sorted(lacking)
    if given:
        container["resources"] = resources
    for word, names in given.items():
        yield f"{', '.join(names)} {word.removesuffix('s')} for {noun} {container['name']}"


def annotation(told: list[str]) -> str:
    return "LimitRanger plugin set: " + "; ".join(told)


def pod_complaints(pod: Object, limit_range: Object) -> Iterator[str]:
    """What of ``pod`` the range does not allow."""
    spec = pod["spec"]
    for item in _items(limit_range, "Container"):
        for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
            resources = container.get("resources") or {}
            yield from _outside(item, "Container", pod_resources.requested(resources), _limits(resources))
    for item in _items(limit_range, "Pod"):
        limits: Amounts = {}
        for container in spec.get("containers") or ():
            pod_resources.add(limits, _limits(container.get("resources") or {}))
        yield from _outside(item, "Pod", pod_resources.of_pod(pod), limits)


def claim_complaints(claim: Object, limit_range: Object) -> Iterator[str]:
    """What of a PersistentVolumeClaim the range does not allow; its request counts as its limit."""
    requests = pod_resources.requested((claim.get("spec") or {}).get("resources"))
    for item in _items(limit_range, "PersistentVolumeClaim"):
        yield from _outside(item, "PersistentVolumeClaim", requests, requests, limit_word="request")


def _outside(
    item: Mapping[str, Any], kind: str, requests: Amounts, limits: Amounts, *, limit_word: str = "limit"
) -> Iterator[str]:
    for name, least in (item.get("min") or {}).items():
        text = f"minimum {name} usage per {kind} is {least}"
        yield from _compared(text, "request", requests.get(name), name, below=quantity.parse(least))
        if limit_word == "limit" and name in limits and limits[name] < quantity.parse(least):
            yield f"{text}, but limit is {_text(name, limits[name])}"
    for name, most in (item.get("max") or {}).items():
        text = f"maximum {name} usage per {kind} is {most}"
        yield from _compared(text, limit_word, limits.get(name), name, above=quantity.parse(most))
        if limit_word == "limit" and name in requests and requests[name] > quantity.parse(most):
            yield f"{text}, but request is {_text(name, requests[name])}"
    for name, ratio in (item.get("maxLimitRequestRatio") or {}).items():
        if name in limits and requests.get(name) and limits[name] / requests[name] > quantity.parse(ratio):
            found = limits[name] / requests[name]
            yield f"{name} max limit to request ratio per {kind} is {ratio}, but provided ratio is {found:.6f}"


def _compared(
    text: str,
    word: str,
    amount: Decimal | None,
    name: str,
    *,
    below: Decimal | None = None,
    above: Decimal | None = None,
) -> Iterator[str]:
    if amount is None:
        yield f"{text}. No {word} is specified"
    elif (below is not None and amount < below) or (above is not None and amount > above):
        yield f"{text}, but {word} is {_text(name, amount)}"


def _items(limit_range: Object, kind: str) -> Iterator[Mapping[str, Any]]:
    for item in (limit_range.get("spec") or {}).get("limits") or ():
        if item.get("type") == kind:
            yield item


def _limits(resources: Mapping[str, Any]) -> Amounts:
    return {name: quantity.parse(value) for name, value in (resources.get("limits") or {}).items()}


def _text(name: str, amount: Decimal) -> str:
    return quantity.binary(int(amount)) if name.endswith(("memory", "storage")) else quantity.canonical(str(amount))
