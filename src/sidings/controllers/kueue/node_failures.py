"""Workloads whose pods were placed on nodes that have failed say so in ``status.unhealthyNodes``.

A node has failed when it is gone, or not ready for ``DELAY`` seconds, or not ready while all pods of the Workload on it
end. The scheduler then looks for other nodes (``queue.topology.replacement``)
(pkg/controller/tas/node_failure_controller.go, Kueue v0.19).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.kueue import keys, topology_assignment
from sidings.api.objects import Key, Object, annotations_of, copy_of, is_deleting, key_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import NODES, PODS, WORKLOADS, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.kueue import workload_status
from sidings.controllers.runtime.controller import Controller, Mapper
from sidings.controllers.runtime.plan import Plan, Update, carry_out
from sidings.queue.topology.domains import HOSTNAME

FIELD_MANAGER = "kueue"
DELAY = 30.0
"""Seconds for which a node may be not ready: it may come back."""
MOST = 8
"""Entries that ``unhealthyNodes`` may have."""


class NodeFailures(Controller):
    """Reconciles Nodes."""

    name = "kueue node failures"
    resource = NODES

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._told: set[str] | None = None
        """Nodes that some Workload may call unhealthy; heartbeats of others are no news. None: nobody has looked."""

    def watched(self) -> Mapping[Resource, Mapper]:
        return {PODS: _node_of}

    async def leftovers(self) -> Iterable[Key]:
        """Nodes that are named in placements, and of which some may have gone."""
        found = (await self.client.list(WORKLOADS)).items
        return [Key("", name) for name in sorted({name for workload in found for name in placed_on(workload)})]

    async def reconcile(self, key: Key) -> float | None:
        node = await self._node(key.name)
        left = seconds_left(node, self.clock.now())
        told = await self._known()
        if left is None and key.name not in told:
            return None
        workloads = [obj for obj in (await self.client.list(WORKLOADS)).items if key.name in placed_on(obj)]
        if left:
            ending = await self._all_pods_end(key.name)
            workloads = [obj for obj in workloads if key_of(obj) in ending]
        candidates = (marked(obj, key.name, failed=left is not None) for obj in workloads)
        changed = [obj for obj in candidates if obj is not None]
        await carry_out(
            self.client,
            Plan(updates=[Update(WORKLOADS, obj, "status") for obj in changed]),
            field_manager=FIELD_MANAGER,
        )
        if left is None:
            told.discard(key.name)
        elif changed:
            told.add(key.name)
        return left or None

    async def _known(self) -> set[str]:
        if self._told is None:
            found = (await self.client.list(WORKLOADS)).items
            self._told = {name for workload in found for name in unhealthy(workload)}
        return self._told

    async def _node(self, name: str) -> Object | None:
        try:
            return await self.client.get(NODES, name)
        except NotFound:
            return None

    async def _all_pods_end(self, node: str) -> set[Key]:
        """Workloads with pods on ``node``, all of which have ended or are about to."""
        pods = (await self.client.list(PODS, field_selector=f"spec.nodeName={node}")).items
        alive: set[Key] = set()
        ending: set[Key] = set()
        for pod in pods:
            owner = Key(pod["metadata"]["namespace"], annotations_of(pod).get(keys.WORKLOAD, ""))
            (ending if _ends(pod) else alive).add(owner)
        return ending - alive


def seconds_left(node: Object | None, now: datetime) -> float | None:
    """Until ``node`` counts as failed; None for one that is ready."""
    if node is None:
        return 0.0
    ready = conditions.find((node.get("status") or {}).get("conditions"), "Ready")
    if ready is None or ready["status"] == "True":
        return None
    since = ready.get("lastTransitionTime")
    return max(DELAY - (now - timestamps.from_text(since)).total_seconds(), 0.0) if since else 0.0


def placed_on(workload: Object) -> set[str]:
    """Nodes on which the queue has placed pods of ``workload``, which is admitted and runs."""
    admission = (workload.get("status") or {}).get("admission") or {}
    if not workload_status.is_admitted(workload) or workload_status.is_finished(workload):
        return set()
    assignments = [entry.get("topologyAssignment") for entry in admission.get("podSetAssignments") or ()]
    placements = [topology_assignment.decode(assignment) for assignment in assignments if assignment]
    return {
        values[-1] for placement in placements if placement.levels[-1] == HOSTNAME for values, _ in placement.domains
    }


def unhealthy(workload: Object) -> list[str]:
    """The nodes that ``workload`` calls so."""
    return [entry["name"] for entry in (workload.get("status") or {}).get("unhealthyNodes") or ()]


def marked(workload: Object, node: str, *, failed: bool) -> Object | None:
    """``workload`` with ``node`` among its unhealthy nodes or not; None where that is so already."""
    known = unhealthy(workload)
    wanted = [name for name in known if name != node] + ([node] if failed else [])
    if sorted(wanted) == sorted(known) or len(wanted) > MOST or workload_status.is_evicted(workload):
        return None
    changed: Object = copy_of(workload)
    changed["status"]["unhealthyNodes"] = [{"name": name} for name in wanted]
    if not wanted:
        del changed["status"]["unhealthyNodes"]
    return changed


def _ends(pod: Object) -> bool:
    return has_ended(pod) or is_deleting(pod)


def _node_of(pod: Object) -> Iterable[Key]:
    node = pod["spec"].get("nodeName")
    return (Key("", node),) if node and keys.WORKLOAD in annotations_of(pod) and _ends(pod) else ()
