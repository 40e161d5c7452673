"""The choice for one pod: filter the nodes, rank what is left, or say with numbers why none will do."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import NamedTuple

from sidings.api import quantity
from sidings.api.objects import Object
from sidings.controllers.scheduler import claims
from sidings.controllers.scheduler.filters import FILTERS, pod_affinity
from sidings.controllers.scheduler.snapshot import PODS, NodeState, Snapshot, requests_of

NODES_NAMED = 4


class Choice(NamedTuple):
    """``node`` is ``""`` where no node will do; then ``message`` says why."""

    node: str
    message: str = ""


def choose(pod: Object, snapshot: Snapshot) -> Choice:
    """The node for ``pod``: of those that pass every filter the one that is emptiest afterwards, ties by name.

    Spreading is kube-scheduler's default (LeastAllocated, v1.36) for the resources that the pod asks for.
    """
    if snapshot.nodes and (obstacle := claims.obstacle(pod, snapshot.claims)):
        return Choice("", f"0/{len(snapshot.nodes)} nodes are available: {obstacle}.")
    refusals: Counter[str] = Counter()
    candidates = []
    filters = (*FILTERS, pod_affinity.rule(pod, snapshot))
    for state in snapshot.nodes.values():
        reasons = next((found for filter_ in filters if (found := filter_(pod, state))), [])
        if reasons:
            refusals.update(reasons)
        else:
            candidates.append(state)
    if candidates:
        return Choice(min(candidates, key=lambda state: (_fullness(pod, state), state.name)).name)
    return Choice("", _refusal(pod, snapshot, refusals))


def _fullness(pod: Object, state: NodeState) -> Decimal:
    """The mean share in use of what the pod asks for, were it to run here; 0 is empty, 1 is full."""
    shares = [
        1 - (state.free(name) - amount) / state.allocatable[name]
        for name, amount in requests_of(pod).items()
        if state.allocatable.get(name)
    ]
    return sum(shares, Decimal(0)) / len(shares) if shares else Decimal(0)


def _refusal(pod: Object, snapshot: Snapshot, refusals: Counter[str]) -> str:
    """Upstream's sentence, then the numbers behind each short resource, which upstream leaves out."""
    total = len(snapshot.nodes)
    if not total:
        return "no nodes available to schedule pods"
    text = f"0/{total} nodes are available: "
    text += ", ".join(f"{count} {reason}" for reason, count in sorted(refusals.items(), key=lambda item: item[0])) + "."
    requests = requests_of(pod)
    for name in sorted(requests):
        if name != PODS and refusals.get(f"Insufficient {name}"):
            text += f" {_numbers(name, requests[name], snapshot)}"
    return text


def _numbers(resource: str, wanted: Decimal, snapshot: Snapshot) -> str:
    states = sorted(snapshot.nodes.values(), key=lambda state: (-state.free(resource), state.name))
    shown = ", ".join(
        f"{state.name} {_amount(max(state.free(resource), Decimal(0)))} free of "
        f"{_amount(state.allocatable.get(resource, Decimal(0)))}"
        for state in states[:NODES_NAMED]
    )
    more = f" and {len(states) - NODES_NAMED} nodes with no more" if len(states) > NODES_NAMED else ""
    return f"{resource}: the pod requests {_amount(wanted)}; {shown}{more}."


def _amount(value: Decimal) -> str:
    return quantity.canonical(value)
