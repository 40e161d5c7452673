"""A kubelet that plays what containers do, by rules of a situation: it binds nothing and runs nothing.

A rule says which containers it is about (``of``), what would make them well (``unless``) and what becomes of them
otherwise: ``ends``, ``waits`` or ``unready``. Everything else runs. References that lead nowhere keep a container from
starting, as on a real node.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from sidings.api import quantity, timestamps
from sidings.api.objects import Object, is_deleting, key_of, name_of, uid_of
from sidings.api.pods import LogOptions
from sidings.api.resources import CONFIG_MAPS, PODS, SECRETS, Resource
from sidings.api.status import ApiError, Conflict, NotFound
from sidings.client.events import EventNote, Recorder
from sidings.client.interface import Client
from sidings.clock import Clock

Rule = Mapping[str, Any]
START_SECONDS = 0.2


class Kubelet:
    """Acts on all pods that have a node. It gives logs too: those of the rules that ended a container."""

    def __init__(self, client: Client, clock: Clock, rules: Sequence[Rule]) -> None:
        self._client = client
        self._clock = clock
        self._rules = rules
        self._recorder = Recorder(client, clock, "kubelet", host="node")
        self._logs: dict[str, list[str]] = {}
        self.is_dead = False
        """A dead node's pods stay as they are, deleted or not."""

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            async for event in self._client.watch(PODS):
                pod = event.object
                if event.type != "DELETED" and pod["spec"].get("nodeName") and not self.is_dead:
                    tasks.create_task(self._look(key_of(pod).name, key_of(pod).namespace))

    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        for line in self._logs.get(uid_of(pod), ()):
            yield f"{line}\n".encode()

    async def again(self, namespace: str) -> None:
        """Looks at every pod: what it lacked may be there now."""
        for pod in (await self._client.list(PODS, namespace)).items:
            if pod["spec"].get("nodeName"):
                await self._look(name_of(pod), namespace)

    async def _look(self, name: str, namespace: str) -> None:
        await self._clock.sleep(START_SECONDS)
        with suppress(NotFound, Conflict):
            pod = await self._client.get(PODS, name, namespace)
            status = pod.get("status") or {}
            if is_deleting(pod):
                await self._client.delete(PODS, name, namespace, grace_period_seconds=0, uid=uid_of(pod))
            elif status.get("phase") in (None, "Pending"):
                await self._start(pod, namespace)

    async def _start(self, pod: Object, namespace: str) -> None:
        moment = timestamps.to_text(self._clock.now())
        statuses, phases = [], []
        for container in pod["spec"]["containers"]:
            state, phase = await self._state(pod, container, namespace, moment)
            statuses.append({"name": container["name"], "image": container["image"], "imageID": "", **state})
            phases.append(phase)
        phase = next((each for each in ("Failed", "Pending") if each in phases), "Running")
        if (pod.get("status") or {}).get("containerStatuses") == statuses:
            return
        body = {"status": {"phase": phase, "startTime": moment, "containerStatuses": statuses}}
        await self._client.patch(PODS, name_of(pod), body, namespace=namespace, subresource="status")

    async def _state(self, pod: Object, container: Object, namespace: str, moment: str) -> tuple[Object, str]:
        """(state of a container, phase of its pod)."""
        if missing := await self._missing(container, namespace):
            return _waiting("CreateContainerConfigError", missing), "Pending"
        rule = next((r for r in self._rules if _is_about(r, pod, container) and not _is_well(r, container)), None)
        running = {"state": {"running": {"startedAt": moment}}}
        if rule is None:
            return {"ready": True, "restartCount": 0, **running}, "Running"
        self._logs[uid_of(pod)] = list(rule.get("log") or ())
        if waits := rule.get("waits"):
            return _waiting(waits["reason"], waits.get("message", "")), "Pending"
        if unready := rule.get("unready"):
            pod = {"apiVersion": "v1", "kind": "Pod", **pod}
            await self._recorder.record(EventNote(pod, "Warning", "Unhealthy", unready["message"]))
            return {"ready": False, "restartCount": unready.get("restarts", 0), **running}, "Running"
        if (ends := rule.get("ends")) is None:
            return {"ready": True, "restartCount": 0, **running}, "Running"
        ended = {"startedAt": moment, "finishedAt": moment, "reason": "Error", **ends}
        if pod["spec"].get("restartPolicy") == "Never":
            return {"ready": False, "restartCount": 0, "state": {"terminated": ended}}, "Failed"
        looped = _waiting("CrashLoopBackOff", "back-off 10s restarting failed container")
        return {**looped, "restartCount": 3, "lastState": {"terminated": ended}}, "Running"

    async def _missing(self, container: Object, namespace: str) -> str:
        """What a kubelet says of the first ConfigMap, Secret or key in the environment that is not there."""
        for source in container.get("envFrom") or ():
            for field, resource in (("configMapRef", CONFIG_MAPS), ("secretRef", SECRETS)):
                if (named := source.get(field)) and (told := await self._lacks(resource, named["name"], "", namespace)):
                    return told
        for variable in container.get("env") or ():
            for field, resource in (("configMapKeyRef", CONFIG_MAPS), ("secretKeyRef", SECRETS)):
                named = (variable.get("valueFrom") or {}).get(field)
                if named and (told := await self._lacks(resource, named["name"], named["key"], namespace)):
                    return told
        return ""

    async def _lacks(self, resource: Resource, name: str, key: str, namespace: str) -> str:
        word = resource.kind.lower()
        try:
            found = await self._client.get(resource, name, namespace)
        except ApiError:
            return f'{word} "{name}" not found'
        if not key or key in (found.get("data") or {}):
            return ""
        return f"couldn't find key {key} in {resource.kind} {namespace}/{name}"


def _waiting(reason: str, message: str) -> Object:
    return {"ready": False, "restartCount": 0, "state": {"waiting": {"reason": reason, "message": message}}}


def _is_about(rule: Rule, pod: Object, container: Object) -> bool:
    of = rule.get("of") or {}
    rank = (pod["metadata"].get("annotations") or {}).get("batch.kubernetes.io/job-completion-index")
    return (
        of.get("image", container["image"]) == container["image"]
        and of.get("command", _first(container)) == _first(container)
        and str(of.get("rank", rank)) == str(rank)
    )


def _is_well(rule: Rule, container: Object) -> bool:
    """Whether any of what ``unless`` names is so."""
    unless = rule.get("unless") or {}
    limits = (container.get("resources") or {}).get("limits") or {}
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    env = {variable["name"]: variable.get("value") for variable in container.get("env") or ()}
    mounts = {mount["mountPath"] for mount in container.get("volumeMounts") or ()}
    checks = {
        "memory": lambda least: quantity.parse(limits.get("memory", "0")) >= quantity.parse(least),
        "command": lambda word: _first(container) == word,
        "word": lambda word: any(word in given for given in words),
        "env": lambda pairs: all(env.get(name) == value for name, value in pairs.items()),
        "mount": lambda path: path in mounts,
        "without": lambda field: field not in container,
        "has": lambda fields: all(container.get(field) == value for field, value in fields.items()),
    }
    return any(checks[name](wanted) for name, wanted in unless.items())


def _first(container: Object) -> str:
    return str(next(iter(container.get("command") or ()), ""))
