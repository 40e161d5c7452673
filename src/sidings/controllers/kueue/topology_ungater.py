"""Pods of a placed Workload start on the nodes that the queue chose (pkg/controller/tas/topology_ungater.go, v0.19).

They are born with the gate ``kueue.x-k8s.io/topology``. Each gets the node labels of a domain that has room left and
loses the gate: pods that are numbered in the order of their numbers, so that neighbours in rank are neighbours in the
network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidings.api.kueue import keys, topology_assignment
from sidings.api.objects import Key, Object, annotations_of, copy_of, is_deleting, labels_of, name_of, namespace_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import PODS, WORKLOADS, Resource
from sidings.api.status import NotFound
from sidings.controllers.kueue import workload_status
from sidings.controllers.runtime.controller import Controller, Mapper
from sidings.controllers.runtime.plan import Plan, Update, carry_out

FIELD_MANAGER = "kueue"
Domain = tuple[str, ...]


class Placed(NamedTuple):
    """One pod set of an admitted Workload: ``places`` has a domain for each pod, in the order of ranks."""

    name: str
    levels: Sequence[str]
    places: Sequence[Domain]
    index_label: str
    sub_group_label: str
    sub_group_size: int
    """Pods in each replicated job; 0 where pods are not numbered by two labels."""


class TopologyUngater(Controller):
    """Reconciles Workloads with a topology assignment."""

    name = "kueue topology ungater"
    resource = WORKLOADS

    def watched(self) -> Mapping[Resource, Mapper]:
        return {PODS: _workload_of}

    async def reconcile(self, key: Key) -> float | None:
        try:
            workload = await self.client.get(WORKLOADS, key.name, key.namespace)
        except NotFound:
            return None
        sets = placed(workload) if workload_status.is_admitted(workload) else []
        updates: list[Object] = []
        for each in sets:
            selector = f"{keys.POD_SET}={each.name}"
            found = (await self.client.list(PODS, key.namespace, label_selector=selector)).items
            mine = [pod for pod in found if annotations_of(pod).get(keys.WORKLOAD) == key.name]
            updates += ungated(mine, each)
        await carry_out(self.client, Plan(updates=[Update(PODS, pod) for pod in updates]), field_manager=FIELD_MANAGER)
        return None


def placed(workload: Object) -> list[Placed]:
    """The pod sets of ``workload`` that have places on nodes."""
    requests = {entry["name"]: entry for entry in workload["spec"]["podSets"]}
    admission = (workload.get("status") or {}).get("admission") or {}
    found = []
    for assignment in admission.get("podSetAssignments") or ():
        if not assignment.get("topologyAssignment"):
            continue
        placement = topology_assignment.decode(assignment["topologyAssignment"])
        pod_set = requests[assignment["name"]]
        request = pod_set.get("topologyRequest") or {}
        groups = request.get("subGroupCount") or 0
        found.append(
            Placed(
                assignment["name"],
                placement.levels,
                [values for values, count in placement.domains for _ in range(count)],
                request.get("podIndexLabel") or "",
                request.get("subGroupIndexLabel") or "",
                pod_set["count"] // groups if groups else 0,
            )
        )
    return found


def ungated(pods: Iterable[Object], of: Placed) -> list[Object]:
    """The gated ones among ``pods`` of one pod set, each bound to a domain and without its gate."""
    alive = [pod for pod in pods if not has_ended(pod) and not is_deleting(pod)]
    gated = [pod for pod in alive if _is_gated(pod)]
    ranks = {name_of(pod): rank(pod, of) for pod in alive}
    if all(_in_its_place(pod, ranks[name_of(pod)], of) for pod in alive):
        return [_bound(pod, of.levels, of.places[ranks[name_of(pod)] or 0]) for pod in gated]
    taken = Counter(_domain_of(pod, of.levels) for pod in alive if not _is_gated(pod))
    free = [domain for domain, count in Counter(of.places).items() for _ in range(max(count - taken[domain], 0))]
    ordered = sorted(gated, key=lambda pod: (pod["metadata"]["creationTimestamp"], name_of(pod)))
    return [_bound(pod, of.levels, domain) for pod, domain in zip(ordered, free, strict=False)]


def _in_its_place(pod: Object, number: int | None, of: Placed) -> bool:
    """Whether ``pod`` is where its number says; after nodes were replaced, who stayed may be elsewhere."""
    if number is None or number >= len(of.places):
        return False
    return _is_gated(pod) or _domain_of(pod, of.levels) == of.places[number]


def rank(pod: Object, of: Placed) -> int | None:
    """The number of ``pod`` in its pod set; None where its labels do not say."""
    labels = labels_of(pod)
    index = labels.get(of.index_label, "")
    if not index.isdigit():
        return None
    if not of.sub_group_label:
        return int(index)
    group = labels.get(of.sub_group_label, "")
    return int(group) * of.sub_group_size + int(index) if group.isdigit() and of.sub_group_size else None


def _is_gated(pod: Object) -> bool:
    return any(gate["name"] == keys.TOPOLOGY_GATE for gate in pod["spec"].get("schedulingGates") or ())


def _domain_of(pod: Object, levels: Sequence[str]) -> Domain:
    selector = pod["spec"].get("nodeSelector") or {}
    return tuple(selector.get(level, "") for level in levels)


def _bound(pod: Object, levels: Sequence[str], domain: Domain) -> Object:
    changed: Object = copy_of(pod)
    spec = changed["spec"]
    spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **dict(zip(levels, domain, strict=True))}
    spec["schedulingGates"] = [gate for gate in spec["schedulingGates"] if gate["name"] != keys.TOPOLOGY_GATE]
    if not spec["schedulingGates"]:
        del spec["schedulingGates"]
    return changed


def _workload_of(pod: Object) -> Iterable[Key]:
    name = annotations_of(pod).get(keys.WORKLOAD)
    return (Key(namespace_of(pod), name),) if name and _is_gated(pod) else ()
