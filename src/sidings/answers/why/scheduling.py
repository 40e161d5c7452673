"""Pods without a node: which resource is short by how much on each node, or what rules the nodes out.

What a node has left is its allocatable less the requests of its unfinished pods, so the arithmetic is the same on any
cluster whose nodes and pods can be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from sidings.answers import codes
from sidings.answers.demand import noun_of
from sidings.answers.explanations import finding
from sidings.answers.family import TERMINAL_PHASES, Family, phase_of
from sidings.answers.finding import Finding, place_of
from sidings.answers.resubmission import Revision, template_of
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import sizes
from sidings.answers.why.quota import listed
from sidings.api import conditions, pod_resources, quantity, tolerations
from sidings.api.objects import Object, key_of, labels_of, name_of
from sidings.queue import affinity

UNSCHEDULABLE = "Unschedulable"


def find(family: Family, around: Surroundings) -> Iterator[Finding]:
    """One finding for all pods that wait for the same reason; the first of them is named."""
    waiting = [pod for pod in family.living_pods() if is_unschedulable(pod)]
    if waiting and around.of_kind("Node"):
        yield _of_pod(waiting[0], len(waiting), family, around)


def is_without_node(family: Family) -> bool:
    """Whether a pod finds no node: the one case in which pods of everybody matter, for what they hold of each."""
    return any(is_unschedulable(pod) for pod in family.living_pods())


def is_unschedulable(pod: Object) -> bool:
    """Whether the scheduler has looked at the pod and found no node."""
    found = conditions.find((pod.get("status") or {}).get("conditions"), "PodScheduled") or {}
    return found.get("status") == "False" and found.get("reason") == UNSCHEDULABLE


def _of_pod(pod: Object, pods: int, family: Family, around: Surroundings) -> Finding:
    where = place_of({"kind": "Pod", **pod})
    also = f" (and {pods - 1} more of its pods)" if pods > 1 else ""
    nodes = around.of_kind("Node")
    requests = pod_resources.of_pod(pod)
    used = _used(around.of_kind("Pod"))
    excluded = {name_of(node): text for node in nodes if (text := _exclusion(pod, node))}
    allowed = [node for node in nodes if name_of(node) not in excluded]
    large = [node for node in nodes if not _short(requests, _allocatable(node))]
    if not large:
        told = "; ".join(f"{name_of(n)}: {_numbers(requests, _allocatable(n))}" for n in nodes[:3])
        return finding(
            codes.FITS_NO_NODE,
            where,
            f"pod {name_of(pod)}{also} is larger than every one of {len(nodes)} nodes: {told}",
            cause=_message(pod),
            remedy=sizes.smaller(family.root, pod, _closest(requests, nodes), around) or _capacity(around),
        )
    if not any(node in allowed for node in large):
        first = large[0]
        return finding(
            codes.NODES_EXCLUDED,
            where,
            f"pod {name_of(pod)}{also} may use none of {len(nodes)} nodes",
            cause="; ".join(f"{name}: {text}" for name, text in list(excluded.items())[:3]),
            remedy=_opening(family.root, pod, first, around),
        )
    own = _used(family.living_pods())
    if all(_short(requests, _left(node, own)) for node in allowed):
        told = "; ".join(f"{name_of(n)}: {_numbers(requests, _left(n, own))}" for n in allowed[:3])
        return finding(
            codes.NODES_TOO_FEW,
            where,
            f"pod {name_of(pod)}{also} finds no room beside its own peers: {told}",
            cause=f"{_message(pod)} All pods of a job run at once.",
            remedy=sizes.fewer(family, sum(_how_many(requests, _allocatable(n)) for n in allowed), around)
            or _capacity(around),
        )
    free = {name_of(n): _left(n, used) for n in allowed}
    told = "; ".join(f"{name}: {_numbers(requests, left)}" for name, left in list(free.items())[:3])
    holders = sorted(
        "/".join(key_of(other))
        for other in around.of_kind("Pod")
        if other["spec"].get("nodeName") in free and phase_of(other) not in TERMINAL_PHASES
    )
    return finding(
        codes.NODES_BUSY,
        where,
        f"pod {name_of(pod)}{also} waits for a node: {told}" if told else f"pod {name_of(pod)}{also} waits for a node",
        cause=f"{_message(pod)} Held by {listed(holders)}" if holders else _message(pod),
        remedy=around.kubectl("get", "pods", "-A", "-o", "wide"),
    )


def find_room(pod_sets: Iterable[Object], job: Object, around: Surroundings) -> Iterator[Finding]:
    """Of pods that do not exist yet: whether empty nodes would hold each, and all of a pod set together.

    ``pod_sets`` are those of a Workload. Says nothing where pods of several pod sets get into each other's way.
    """
    nodes = around.of_kind("Node")
    if not nodes:
        return
    for entry in pod_sets:
        name, requests = entry["name"], pod_resources.of_spec(entry["template"]["spec"])
        room = [_how_many(requests, _allocatable(node)) for node in nodes]
        if not any(room):
            told = "; ".join(f"{name_of(n)}: {_numbers(requests, _allocatable(n))}" for n in nodes[:3])
            what = f"a pod of {name} is larger than every one of {len(nodes)} nodes: {told}"
            yield finding(codes.FITS_NO_NODE, place_of(job), what, remedy=_capacity(around))
        elif sum(room) < entry["count"]:
            what = f"{name} has {entry['count']} pods, and {len(nodes)} empty nodes hold {sum(room)} of them at once"
            yield finding(codes.NODES_TOO_FEW, place_of(job), what, remedy=_capacity(around))


def _closest(requests: Mapping[str, Decimal], nodes: Iterable[Object]) -> dict[str, Decimal]:
    """What the node has that lacks the least kinds of resources, and of those the most."""
    return max(
        (_allocatable(node) for node in nodes),
        key=lambda room: (-len(_short(requests, room)), [room.get(name, Decimal(0)) for name in sorted(requests)]),
    )


def _how_many(requests: Mapping[str, Decimal], room: Mapping[str, Decimal]) -> int:
    """Pods of these requests that fit an empty node."""
    fits = [int(room.get(name, Decimal(0)) // amount) for name, amount in requests.items() if amount]
    return min([*fits, int(room.get("pods", Decimal(110)))])


def _capacity(around: Surroundings) -> str:
    return around.kubectl("get", "nodes", "-o", "custom-columns=NAME:.metadata.name,HAS:.status.allocatable")


def _message(pod: Object) -> str:
    found = conditions.find((pod.get("status") or {}).get("conditions"), "PodScheduled") or {}
    return str(found.get("message") or "")


def _allocatable(node: Object) -> dict[str, Decimal]:
    status = node.get("status") or {}
    return {name: quantity.parse(value) for name, value in (status.get("allocatable") or {}).items()}


def _used(pods: Iterable[Object]) -> dict[str, dict[str, Decimal]]:
    """Requests of the unfinished pods, by node."""
    used: dict[str, dict[str, Decimal]] = {}
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node and phase_of(pod) not in TERMINAL_PHASES:
            pod_resources.add(used.setdefault(node, {}), pod_resources.of_pod(pod))
    return used


def _left(node: Object, used: Mapping[str, Mapping[str, Decimal]]) -> dict[str, Decimal]:
    taken = used.get(name_of(node)) or {}
    return {name: amount - taken.get(name, Decimal(0)) for name, amount in _allocatable(node).items()}


def _short(requests: Mapping[str, Decimal], room: Mapping[str, Decimal]) -> list[str]:
    return sorted(name for name, amount in requests.items() if amount > room.get(name, Decimal(0)))


def _numbers(requests: Mapping[str, Decimal], room: Mapping[str, Decimal]) -> str:
    """``2 GPUs wanted, 1 there``, for each resource that is short."""
    told = [
        f"{pod_resources.text_of(name, requests[name])} {noun_of(name)} wanted,"
        f" {pod_resources.text_of(name, room.get(name, Decimal(0)))} there"
        for name in _short(requests, room)
    ]
    return ", ".join(told) or "enough of everything, but not allowed"


def _exclusion(pod: Object, node: Object) -> str:
    """What rules a node out for a pod whatever room it has; empty where nothing does."""
    if node["spec"].get("unschedulable"):
        return "cordoned"
    for taint in _hindrances(pod, node):
        return f"untolerated taint {taint['key']}={taint.get('value') or ''}:{taint['effect']}"
    missing = _missing_labels(pod, node)
    if missing:
        return f"has not the label {missing[0]}"
    return "" if _has_affinity(pod, node) else "is not what the node affinity asks for"


def _has_affinity(pod: Object, node: Object) -> bool:
    return affinity.affinity_matches(pod["spec"], labels_of(node), node=name_of(node))


def _hindrances(pod: Object, node: Object) -> list[Object]:
    tolerated = pod["spec"].get("tolerations") or ()
    return [
        taint
        for taint in node["spec"].get("taints") or ()
        if taint["effect"] in tolerations.BLOCKING_EFFECTS and not tolerations.tolerates(tolerated, taint)
    ]


def _missing_labels(pod: Object, node: Object) -> list[str]:
    labels = labels_of(node)
    return [f"{k}={v}" for k, v in (pod["spec"].get("nodeSelector") or {}).items() if labels.get(k) != v]


def _opening(root: Object, pod: Object, node: Object, around: Surroundings) -> str:
    """The command that lets ``pod`` onto ``node``."""
    name = name_of(node)
    if node["spec"].get("unschedulable"):
        return around.kubectl("uncordon", name)
    if taints := _hindrances(pod, node):
        return around.kubectl("taint", "node", name, *(f"{taint['key']}:{taint['effect']}-" for taint in taints))
    if missing := _missing_labels(pod, node):
        return around.kubectl("label", "node", name, *missing, "--overwrite")
    return _without_affinity(root, pod, around) or around.kubectl("get", "nodes", "--show-labels")


def _without_affinity(root: Object, pod: Object, around: Surroundings) -> str:
    template = template_of(root, pod)
    if template is None or not (template.pods["spec"].get("affinity") or {}).get("nodeAffinity"):
        return ""
    revision = Revision(root)
    revision.remove((*template.path, "spec", "affinity", "nodeAffinity"))
    return revision.command(around)
