"""Nodes that do to pods what a script says, and nothing by themselves; one that is down does nothing at all.

A pod of a JobSet that restarts in place has the agent that such pods have: it writes down an attempt when its container
starts, lets the worker run once that is the current one, and ends when it is a previous one.
"""

from __future__ import annotations

import random
from typing import Any

from sidings.api import objects, timestamps
from sidings.api.jobset import labels, validation
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS, NODES, PODS
from sidings.api.status import ApiError, NotFound
from sidings.client.interface import Client, PatchType
from sidings.clock import Clock
from tests.faults.ledger import ENDED, phase

NODE_NAMES = ("n-0", "n-1", "n-2")
KILLED, TERMINATED = 137, 143


class ScriptedNodes:
    """Speaks through a client that never fails: what happens on nodes is the truth."""

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        self._client = client
        self._clock = clock
        self._rng = rng
        self.down: set[str] = set()

    async def join(self, name: str) -> None:
        """The node comes up, or comes back."""
        self.down.discard(name)
        try:
            await self._client.get(NODES, name)
        except NotFound:
            await self._client.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        await self._set_ready(name, "True")

    async def fall_silent(self, name: str) -> None:
        """The node stops working; what watches heartbeats has noticed."""
        self.down.add(name)
        await self._set_ready(name, "Unknown")

    async def leave(self, name: str) -> None:
        """The node is gone for good, with everything on it."""
        self.down.add(name)
        await self._client.delete(NODES, name)

    async def pods(self) -> list[Object]:
        return (await self._client.list(PODS)).items

    def runs(self, pod: Object) -> bool:
        return phase(pod) == "Running" and pod["spec"].get("nodeName") not in self.down

    async def advance(self, pod: Object, *, kind: bool = False) -> bool:
        """One step in the life of ``pod``, if there is one; ``kind`` nodes let every pod succeed."""
        try:
            return await self._advance(pod, kind)
        except ApiError:
            return True  # the pod is gone or was changed meanwhile

    async def kill(self, pod: Object, code: int = KILLED) -> None:
        await self._write(pod, "Failed", code)

    async def _advance(self, pod: Object, kind: bool) -> bool:
        host = pod["spec"].get("nodeName")
        if not host:
            return await self._bind(pod)
        if host in self.down or (phase(pod) in ENDED and not objects.is_deleting(pod)):
            return False
        if objects.is_deleting(pod):
            await self._stop(pod)
        elif phase(pod) == "Pending":
            await self._write(pod, "Running")
        elif in_place := await self._restarts_in_place(pod):
            return await self._agent(pod, in_place, kind)
        elif kind or self._rng.random() < 0.5:
            await self._write(pod, "Succeeded", 0)
        elif pod["spec"]["restartPolicy"] == "OnFailure":
            await self._write(pod, "Running", restarts=_restarts(pod) + 1)
        else:
            await self._write(pod, "Failed", self._rng.choice((1, 42, KILLED)))
        return True

    async def _restarts_in_place(self, pod: Object) -> Object | None:
        """The JobSet of ``pod``, if it is one that does. Orphans have none and end like any other pod."""
        name = objects.labels_of(pod).get(labels.JOBSET_NAME)
        try:
            jobset = await self._client.get(JOB_SETS, name, objects.namespace_of(pod)) if name else None
        except NotFound:
            return None
        return jobset if jobset and validation.restarts_in_place(jobset["spec"]) else None

    async def _agent(self, pod: Object, jobset: Object, kind: bool) -> bool:
        """Workers of such a set need each other: they succeed only where nodes are kind and all are there."""
        status = jobset.get("status") or {}
        current, previous = status.get("currentInPlaceRestartAttempt"), status.get("previousInPlaceRestartAttempt")
        own = _attempt(pod)
        if own is None or (previous is not None and own <= previous):
            await self._begin_attempt(pod, current, restarts=own is not None)
        elif own != current:
            return False  # it waits at the barrier
        elif not kind:
            await self._begin_attempt(pod, current, restarts=True)
        elif await self._all_are_in(jobset, own):
            await self._write(pod, "Succeeded", 0)
        return True

    async def _all_are_in(self, jobset: Object, attempt: int) -> bool:
        """A worker that was told to stop, as those of a group that was made smaller are, helps the others no more."""
        groups = [(group["replicas"], group["template"]["spec"]) for group in jobset["spec"]["replicatedJobs"]]
        selector = f"{labels.JOBSET_UID}={objects.uid_of(jobset)}"
        pods = (await self._client.list(PODS, objects.namespace_of(jobset), label_selector=selector)).items
        working = (pod for pod in pods if phase(pod) != "Failed" and not objects.is_deleting(pod))
        there = [pod for pod in working if _attempt(pod) == attempt]
        return len(there) == sum(replicas * spec["parallelism"] for replicas, spec in groups)

    async def _begin_attempt(self, pod: Object, current: int | None, *, restarts: bool) -> None:
        if restarts:
            await self._write(pod, "Running", restarts=_restarts(pod) + 1)
        metadata = {"uid": objects.uid_of(pod)}
        attempt = 0 if current is None else current + 1
        body = {"metadata": metadata | {"annotations": {labels.IN_PLACE_RESTART_ATTEMPT: str(attempt)}}}
        await self._client.patch(PODS, objects.name_of(pod), body, namespace=objects.namespace_of(pod))

    async def _bind(self, pod: Object) -> bool:
        up = [name for name in NODE_NAMES if name not in self.down]
        if objects.is_deleting(pod) or not up:
            return False
        key = objects.key_of(pod)
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": key.name, "namespace": key.namespace, "uid": objects.uid_of(pod)},
            "target": {"apiVersion": "v1", "kind": "Node", "name": self._rng.choice(up)},
        }
        await self._client.create(PODS, binding, namespace=key.namespace, name=key.name, subresource="binding")
        return True

    async def _stop(self, pod: Object) -> None:
        """A pod that is asked to stop sometimes ends well; then its object may go."""
        if phase(pod) not in ENDED:
            alone = _attempt(pod) is None and await self._restarts_in_place(pod) is None
            well = alone and phase(pod) == "Running" and self._rng.random() < 0.2
            await self._write(pod, "Succeeded" if well else "Failed", 0 if well else TERMINATED)
        key = objects.key_of(pod)
        await self._client.delete(PODS, key.name, key.namespace, grace_period_seconds=0, uid=objects.uid_of(pod))

    async def _write(self, pod: Object, new_phase: str, code: int | None = None, restarts: int = 0) -> None:
        moment = timestamps.to_text(self._clock.now())
        ready = "True" if new_phase == "Running" else "False"
        container: dict[str, Any] = {"image": "img:1", "imageID": "", "ready": ready == "True"}
        container["name"] = pod["spec"]["containers"][0]["name"]
        container["restartCount"] = restarts or _restarts(pod)
        ended = {"exitCode": code, "reason": "Error" if code else "Completed", "finishedAt": moment}
        container["state"] = {"terminated": ended} if code is not None else {"running": {"startedAt": moment}}
        status = {
            "phase": new_phase,
            "startTime": moment,
            "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": moment}],
            "containerStatuses": [container],
        }
        key = objects.key_of(pod)
        await self._client.patch(
            PODS,
            key.name,
            {"metadata": {"uid": objects.uid_of(pod)}, "status": status},
            namespace=key.namespace,
            patch_type=PatchType.STRATEGIC,
            subresource="status",
        )

    async def _set_ready(self, name: str, status: str) -> None:
        moment = timestamps.to_text(self._clock.now())
        condition = {"type": "Ready", "status": status, "reason": "Scripted", "lastTransitionTime": moment}
        body = {"status": {"conditions": [condition]}}
        await self._client.patch(NODES, name, body, patch_type=PatchType.STRATEGIC, subresource="status")


def _attempt(pod: Object) -> int | None:
    """In which the agent of ``pod`` is, where it has one."""
    text = objects.annotations_of(pod).get(labels.IN_PLACE_RESTART_ATTEMPT)
    return None if text is None else int(text)


def _restarts(pod: Object) -> int:
    return sum(int(one.get("restartCount") or 0) for one in (pod.get("status") or {}).get("containerStatuses") or ())
