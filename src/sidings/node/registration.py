"""Node objects: made once, then kept alive by heartbeats.

What others set on a node (taints, cordons, labels of their own) is left alone; capacity, addresses, our labels and
conditions follow this agent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sidings.api.conditions import find
from sidings.api.objects import Object, name_of
from sidings.api.resources import NODES
from sidings.api.status import NotFound
from sidings.client.interface import Client, PatchType
from sidings.clock import Clock
from sidings.node import logical_node
from sidings.node.gpus import labels, resources
from sidings.node.logical_node import LogicalNode, NodeConfig
from sidings.node.machine import MachineReport

FIELD_MANAGER = "kubelet"


class Registration:
    """Announces the nodes of one agent."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        nodes: Mapping[str, tuple[int, LogicalNode]],
        report: MachineReport,
        config: NodeConfig,
        withdrawn: Callable[[str], Mapping[str, str]],
    ) -> None:
        """``withdrawn``: of a node's name, its GPUs that get no new work and why."""
        self._client = client
        self._clock = clock
        self._nodes = nodes
        self._report = report
        self._config = config
        self._withdrawn = withdrawn

    async def announce(self) -> None:
        """Create each node or bring it up to date; a node that somebody deleted comes back."""
        for number, node in self._nodes.values():
            wanted = logical_node.node_object(
                node, number, self._report, self._config, self._clock.now(), self._withdrawn(node.name)
            )
            try:
                known = await self._client.get(NODES, node.name)
            except NotFound:
                known = await self._client.create(NODES, wanted, field_manager=FIELD_MANAGER)
            if changes := label_changes(known, wanted):
                await self._client.patch(
                    NODES,
                    node.name,
                    {"metadata": {"labels": changes}},
                    field_manager=FIELD_MANAGER,
                )
            await self._client.patch(
                NODES,
                name_of(wanted),
                {"status": without_gone_devices(known, with_transition_times(known, wanted["status"]))},
                patch_type=PatchType.STRATEGIC,
                subresource="status",
                field_manager=FIELD_MANAGER,
            )


def label_changes(known: Object, wanted: Object) -> dict[str, str | None]:
    """What to patch into a node's labels; None takes away those of GPUs that it had at an earlier start."""
    present, ours = known["metadata"].get("labels") or {}, wanted["metadata"]["labels"]
    gone = {
        key: None
        for key in present
        if key not in ours and (labels.is_ours(key) or key == logical_node.SIMULATED_GPUS_LABEL)
    }
    return {key: value for key, value in ours.items() if present.get(key) != value} | gone


def without_gone_devices(known: Object, status: Object) -> Object:
    """``status`` as a patch that takes away the GPUs and MIG sizes that the node no longer has."""
    before = known.get("status") or {}
    return status | {
        field: dict.fromkeys(filter(resources.is_ours, before.get(field) or {})) | status[field]
        for field in ("capacity", "allocatable")
    }


def with_transition_times(known: Object, status: Object) -> Object:
    """``status`` with the transition time of each condition that is as it was."""
    before = (known.get("status") or {}).get("conditions")
    conditions = []
    for condition in status["conditions"]:
        seen = find(before, condition["type"])
        if seen is not None and seen["status"] == condition["status"] and seen.get("lastTransitionTime"):
            condition = {**condition, "lastTransitionTime": seen["lastTransitionTime"]}
        conditions.append(condition)
    return {**status, "conditions": conditions}
