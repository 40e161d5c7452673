"""The scheduler's loop: one pass over all pending pods at a time, so no two decisions overlook each other.

A pass takes one snapshot and books every decision in it; so scheduling a thousand pods reads the pods once. Any event
that can change a decision asks for a pass; many events ask for one. Pods that have ended hold nothing and may be many:
which have not is remembered from the watch, and what they are is read anew in each pass.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import ClassVar

from sidings.api import timestamps
from sidings.api.conditions import find
from sidings.api.objects import Key, Object, is_deleting, key_of, name_of, namespace_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import CLAIMS, NAMESPACES, NODES, PODS, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client, PatchType
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller, Mapper
from sidings.controllers.runtime.events import Recorder
from sidings.controllers.runtime.plan import EventNote, Patch, together, write
from sidings.controllers.scheduler import claims
from sidings.controllers.scheduler.choice import choose
from sidings.controllers.scheduler.snapshot import required_terms, take

SCHEDULER_NAME = "default-scheduler"
UNSCHEDULABLE = "Unschedulable"
FAILED_SCHEDULING = "FailedScheduling"
SCHEDULED = "Scheduled"
PASS = Key("", "pass")
GATHER_SECONDS = 0.0001
"""For each pod that has not ended a pass waits so long for more to come. It costs a tenth of that or less, so however
many pods there are, passes take at most a tenth of the time."""


def _pass(obj: Object) -> Iterable[Key]:
    return (PASS,)


class Scheduler(Controller):
    """Binds pending pods to nodes; ``reconcile`` is a pass over all of them."""

    name = "scheduler"
    resource = PODS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {NODES: _pass, CLAIMS: _pass}
    workers = 1

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self.recorder = Recorder(client, clock, SCHEDULER_NAME, classic=False)
        self._unfinished: dict[Key, None] = {}
        self._listed = False
        """Whether a pass has looked at all pods, as the first must: the watch has not told of them all by then."""

    def keys(self, obj: Object) -> Iterable[Key]:
        """A pod matters when it waits for a node or gives its share back."""
        if has_ended(obj):
            self._unfinished.pop(key_of(obj), None)
        else:
            self._unfinished[key_of(obj)] = None
        finished = has_ended(obj) or is_deleting(obj)
        return (PASS,) if finished or not obj["spec"].get("nodeName") else ()

    async def reconcile(self, key: Key) -> float | None:
        await self.clock.sleep(len(self._unfinished) * GATHER_SECONDS)
        pods = await self._read_unfinished()
        waiting = sorted(filter(is_waiting, pods), key=_turn)
        if not waiting:
            return None
        nodes, namespaces = (await self.client.list(NODES)).items, (await self.client.list(NAMESPACES)).items
        mounts_claims = any(name for pod in waiting for name in claims.names_of(pod))
        found_claims = (await self.client.list(CLAIMS)).items if mounts_claims else []
        snapshot = take(nodes, pods, namespaces, found_claims)
        now = self.clock.now()
        bindings, refusals = [], []
        seeks_neighbours = False
        for pod in waiting:
            choice = choose(pod, snapshot)
            if choice.node:
                snapshot.assume(pod, choice.node)
                bindings.append(self._bind(pod, choice.node))
                continue
            seeks_neighbours = seeks_neighbours or bool(required_terms(pod, "podAffinity"))
            if (patch := unschedulable_patch(pod, choice.message, now)) is not None:
                refusals.append(self._refuse(pod, choice.message, patch))
        await together(bindings + refusals, parallel=50)
        # Who was refused before a pod that it wants to be near to was placed gets another look.
        return 0.0 if bindings and seeks_neighbours else None

    async def _read_unfinished(self) -> list[Object]:
        if not self._listed:
            every = (await self.client.list(PODS)).items
            self._unfinished |= dict.fromkeys(key_of(pod) for pod in every if not has_ended(pod))
            self._listed = True
        pods = []
        for key in list(self._unfinished):
            try:
                pods.append(await self.client.get(PODS, key.name, key.namespace))
            except NotFound:
                self._unfinished.pop(key, None)
        return pods

    async def _bind(self, pod: Object, node: str) -> None:
        key = key_of(pod)
        binding: Object = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": key.name, "namespace": key.namespace, "uid": pod["metadata"]["uid"]},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        await self.client.create(PODS, binding, namespace=key.namespace, name=key.name, subresource="binding")
        await self.recorder.record(
            EventNote(pod, "Normal", SCHEDULED, f"Successfully assigned {key} to {node}", action="Binding")
        )

    async def _refuse(self, pod: Object, message: str, patch: Patch) -> None:
        await write(self.client, patch, field_manager=SCHEDULER_NAME)
        await self.recorder.record(EventNote(pod, "Warning", FAILED_SCHEDULING, message, action="Scheduling"))


def is_waiting(pod: Object) -> bool:
    """Whether the pod is ours to place: no node yet, no gates, alive."""
    spec = pod["spec"]
    return (
        not spec.get("nodeName")
        and not spec.get("schedulingGates")
        and (spec.get("schedulerName") or SCHEDULER_NAME) == SCHEDULER_NAME
        and not is_deleting(pod)
        and not has_ended(pod)
    )


def _turn(pod: Object) -> tuple[int, str, str, str]:
    """Higher priority first, then the older, then by name."""
    metadata = pod["metadata"]
    return (-(pod["spec"].get("priority") or 0), metadata["creationTimestamp"], namespace_of(pod), name_of(pod))


def unschedulable_patch(pod: Object, message: str, now: datetime) -> Patch | None:
    """The status patch that says why the pod waits; None where it says so already."""
    conditions = (pod.get("status") or {}).get("conditions")
    before = find(conditions, "PodScheduled")
    if before is not None and before["status"] == "False" and before.get("message") == message:
        return None
    moment = timestamps.to_text(now)
    if before is not None and before["status"] == "False":
        moment = before.get("lastTransitionTime") or moment
    condition: Object = {
        "type": "PodScheduled",
        "status": "False",
        "reason": UNSCHEDULABLE,
        "message": message,
        "lastProbeTime": None,
        "lastTransitionTime": moment,
    }
    return Patch(
        PODS,
        namespace_of(pod),
        name_of(pod),
        {"status": {"conditions": [condition]}},
        patch_type=PatchType.STRATEGIC,
        subresource="status",
    )
