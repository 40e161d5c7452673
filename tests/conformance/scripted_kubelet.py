"""A kubelet that does what a script says: it binds pods and writes their status, and runs nothing.

It behaves as the one that the recordings of the real control plane were made with, so that a trace can be replayed
against any server: through ``client.interface.Client`` only, in process on virtual time or over HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from sidings.api import objects, timestamps
from sidings.api.objects import Object
from sidings.api.resources import PODS
from sidings.api.status import NotFound
from sidings.client.interface import Client, PatchType
from sidings.clock import Clock

NODE = "node-1"
TERMINATION_SECONDS = 0.3
"""From the deletion of a bound pod to its end, where the kubelet terminates pods by itself."""
TERMINATED = 143
ENDS = ("delete", "gone", "evict")
"""Acts that do not need a pod to be on a node."""


class ScriptedKubelet:
    """Acts on the pods of one namespace."""

    def __init__(self, client: Client, clock: Clock, namespace: str) -> None:
        self._client = client
        self._clock = clock
        self._namespace = namespace

    async def terminate_deleted_pods(self) -> None:
        """Until cancelled: end every bound pod soon after it was asked to stop."""
        async with asyncio.TaskGroup() as tasks:
            seen: set[str] = set()
            async for event in self._client.watch(PODS, self._namespace):
                pod = event.object
                if event.type != "DELETED" and _is_to_stop(pod) and objects.uid_of(pod) not in seen:
                    seen.add(objects.uid_of(pod))
                    tasks.create_task(self._terminate(pod))

    async def act(self, name: str, action: str, options: Mapping[str, Any]) -> None:
        """Do ``action`` (``running``, ``ready``, ``fail``, ``gone`` ...) to the pod ``name``."""
        match action:
            case "bound":
                await self._bind(name)
            case "delete":
                await self._client.delete(
                    PODS, name, self._namespace, grace_period_seconds=options.get("gracePeriodSeconds")
                )
            case "gone":
                await self._client.delete(PODS, name, self._namespace, grace_period_seconds=0)
            case "evict":
                await self._evict(name)
            case _:
                pod = await self._bind(name)
                await self._write(name, self.status(pod, action, options, timestamps.to_text(self._clock.now())))

    async def _terminate(self, pod: Object) -> None:
        await self._clock.sleep(TERMINATION_SECONDS)
        name = objects.name_of(pod)
        try:
            current = await self._client.get(PODS, name, self._namespace)
            if objects.uid_of(current) != objects.uid_of(pod):
                return
            if (current.get("status") or {}).get("phase") not in ("Succeeded", "Failed"):
                moment = timestamps.to_text(self._clock.now())
                await self._write(name, self.status(current, "fail", {"exitCode": TERMINATED}, moment))
            await self._client.delete(PODS, name, self._namespace, grace_period_seconds=0, uid=objects.uid_of(pod))
        except NotFound:
            return

    async def _bind(self, name: str) -> Object:
        pod = await self._client.get(PODS, name, self._namespace)
        if pod["spec"].get("nodeName"):
            return pod
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name, "namespace": self._namespace},
            "target": {"apiVersion": "v1", "kind": "Node", "name": NODE},
        }
        await self._client.create(PODS, binding, namespace=self._namespace, name=name, subresource="binding")
        return await self._client.get(PODS, name, self._namespace)

    async def _evict(self, name: str) -> None:
        eviction = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": name, "namespace": self._namespace},
        }
        await self._client.create(PODS, eviction, namespace=self._namespace, name=name, subresource="eviction")

    async def _write(self, name: str, status: Object) -> None:
        await self._client.patch(
            PODS,
            name,
            {"status": status},
            namespace=self._namespace,
            patch_type=PatchType.STRATEGIC,
            subresource="status",
        )

    @staticmethod
    def status(pod: Object, action: str, options: Mapping[str, Any], moment: str) -> Object:
        """What the pod's status becomes by ``action``: running, ready, restart, succeed, fail or condition."""
        if action == "condition":
            return {"conditions": [_condition(moment=moment, **options["condition"])]}
        phase = {"succeed": "Succeeded", "fail": "Failed"}.get(action, "Running")
        reason = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}.get(phase, "ContainersNotReady")
        ready = action == "ready"
        readiness = {"status": "True"} if ready else {"status": "False", "reason": reason}
        conditions = [
            _condition("Initialized", "True", moment=moment),
            _condition("Ready", moment=moment, **readiness),
            _condition("ContainersReady", moment=moment, **readiness),
        ]
        if "condition" in options:
            conditions.append(_condition(moment=moment, **options["condition"]))
        status: Object = {
            "phase": phase,
            "startTime": (pod.get("status") or {}).get("startTime") or moment,
            "conditions": conditions,
            "containerStatuses": [
                _container_status(container, action, options, moment) for container in pod["spec"]["containers"]
            ],
        }
        if "podReason" in options:
            status["reason"] = options["podReason"]
        return status


def _is_to_stop(pod: Object) -> bool:
    """Bound, deleted, and with a grace period: a pod without one is gone or waits for a finalizer."""
    metadata = pod["metadata"]
    return bool(
        pod["spec"].get("nodeName")
        and metadata.get("deletionTimestamp")
        and int(metadata.get("deletionGracePeriodSeconds") or 0) > 0
    )


def _condition(type: str, status: str, reason: str = "", message: str = "", *, moment: str) -> Object:
    condition = {"type": type, "status": status, "lastProbeTime": None, "lastTransitionTime": moment}
    return condition | {key: value for key, value in (("reason", reason), ("message", message)) if value}


def _container_status(container: Object, action: str, options: Mapping[str, Any], moment: str) -> Object:
    status: Object = {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": action == "ready",
        "started": action == "ready",
        "restartCount": options.get("restarts", 1) if action == "restart" else 0,
        "lastState": {},
    }
    if action in ("succeed", "fail"):
        code = 0 if action == "succeed" else options.get("exitCode", 1)
        reason = options.get("reason") or ("Error" if code else "Completed")
        status["state"] = {"terminated": _terminated(code, reason, moment)}
    else:
        status["state"] = {"running": {"startedAt": moment}}
    if action == "restart":
        status["lastState"] = {"terminated": _terminated(options.get("exitCode", 1), "Error", moment)}
    return status


def _terminated(code: int, reason: str, moment: str) -> Object:
    return {"exitCode": code, "reason": reason, "startedAt": moment, "finishedAt": moment}
