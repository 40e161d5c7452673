"""Exclusive placement, kept: followers that are sent elsewhere than their leader went are evicted.

The pod webhook sends a follower to the domain in which its leader was when the follower was created. A leader that was
replaced since may be in another domain; then the Job would be spread over two. The followers are marked
``DisruptionTarget``, so that a ``podFailurePolicy`` may ignore them, and deleted; the Job makes new ones, which follow.
(pkg/controllers/pod_controller.go of kubernetes-sigs/jobset after v0.12.)
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import datetime

from sidings.api import objects, timestamps
from sidings.api.jobset import exclusive_placement, labels
from sidings.api.objects import Key, Object
from sidings.api.pod_phase import has_ended
from sidings.api.resources import NODES, PODS
from sidings.api.status import NotFound
from sidings.client.interface import Client, PatchType
from sidings.clock import Clock
from sidings.controllers.runtime import plan as runtime_plan
from sidings.controllers.runtime.controller import Controller
from sidings.controllers.runtime.events import EventNote, Recorder
from sidings.controllers.runtime.plan import Delete, Patch, Plan

COMPONENT = "jobset"
VIOLATION = "ExclusivePlacementViolation"
MESSAGE = "Pod violated JobSet exclusive placement policy"


def keys_of_pod(pod: Object) -> Iterable[Key]:
    """The key of the pod's Job, which its pods share as a label, where that Job is placed exclusively."""
    key = objects.labels_of(pod).get(labels.JOB_KEY)
    return (Key(objects.namespace_of(pod), key),) if key and exclusive_placement.topology_key(pod) else ()


def violators(leader: Object, domain: str | None, pods: Iterable[Object]) -> list[Object]:
    """Living followers among the ``pods`` of one Job that are not sent to the leader's ``domain``."""
    key = exclusive_placement.topology_key(leader)
    return [
        pod
        for pod in pods
        if not exclusive_placement.is_leader(pod)
        and not objects.is_deleting(pod)
        and not has_ended(pod)
        and (pod["spec"].get("nodeSelector") or {}).get(key) != domain
    ]


def eviction(pods: list[Object], now: datetime) -> Plan:
    """Mark and delete ``pods``."""
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": VIOLATION,
        "message": MESSAGE,
        "lastTransitionTime": timestamps.to_text(now),
    }
    plan = Plan()
    for pod in pods:
        body = {"metadata": {"uid": objects.uid_of(pod)}, "status": {"conditions": [condition]}}
        place = (PODS, objects.namespace_of(pod), objects.name_of(pod))
        plan.updates.append(Patch(*place, body, patch_type=PatchType.STRATEGIC, subresource="status"))
        plan.deletes.append(Delete(PODS, pod))
        plan.events.append(EventNote(pod, "Warning", VIOLATION, MESSAGE))
    return plan


class ExclusivePods(Controller):
    """Looks at the pods of one Job together; the name of a key is the Job's ``job-key``."""

    name = "jobset-pod-controller"
    resource = PODS

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._recorder = Recorder(client, clock, COMPONENT, classic=False)

    def keys(self, obj: Object) -> Iterable[Key]:
        return keys_of_pod(obj)

    async def reconcile(self, key: Key) -> float | None:
        pods = (await self.client.list(PODS, key.namespace, label_selector=f"{labels.JOB_KEY}={key.name}")).items
        leaders = exclusive_placement.leaders_of(pods[0], pods) if pods else []
        if len(leaders) != 1 or not leaders[0]["spec"].get("nodeName"):
            return None
        [leader] = leaders
        try:
            node = await self.client.get(NODES, leader["spec"]["nodeName"])
        except NotFound:
            return None
        domain = objects.labels_of(node).get(exclusive_placement.topology_key(leader))
        decided = eviction(violators(leader, domain, pods), self.clock.now())
        await self._carry_out(decided)
        return None

    async def _carry_out(self, decided: Plan) -> None:
        """Conditions first: a pod that is not bound is gone at once when it is deleted."""
        marks = Plan(updates=decided.updates)
        await runtime_plan.carry_out(self.client, marks, field_manager=COMPONENT)
        await runtime_plan.carry_out(self.client, Plan(deletes=decided.deletes), field_manager=COMPONENT)
        for note in decided.events:
            await self._recorder.record(note)
