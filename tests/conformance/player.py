"""Playing a trace against a server, through any client, and taking the snapshots to compare."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.resources import (
    ADMISSION_CHECKS,
    CLAIMS,
    CLUSTER_QUEUES,
    CLUSTER_TRAINING_RUNTIMES,
    COHORTS,
    CONFIG_MAPS,
    EVENTS,
    JOB_SETS,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    PODS,
    PYTORCH_JOBS,
    RESOURCE_FLAVORS,
    SECRETS,
    SERVICE_ACCOUNTS,
    SERVICES,
    TOPOLOGIES,
    TRAIN_JOBS,
    TRAINING_RUNTIMES,
    WORKLOAD_PRIORITY_CLASSES,
    WORKLOADS,
    Resource,
)
from sidings.api.status import ApiError, NotFound
from sidings.client.interface import Client, PatchType
from sidings.clock import Clock
from tests.conformance.normalising import (
    Names,
    normalised_events,
    normalised_object,
    with_sorted_conditions,
    without_durations,
    without_job_keys,
)
from tests.conformance.scripted_kubelet import ENDS, ScriptedKubelet
from tests.conformance.traces import Difference, compare, compare_snapshots

MANAGER = "gold"
"""Who the recorded requests were by: it stands in managed fields, and in the runtime that a ConfigMap freezes."""
BETWEEN_REQUESTS = 0.02
"""The recorded requests were some milliseconds apart: enough for controllers to see each one."""
QUIET_SECONDS = 2.0
LONGEST_SETTLE = 40.0
SETTLE_STEP = 0.1
PATIENCE = 15.0
"""Seconds for what the recording shows to come true after a settle: quiet may be a pause of a loaded machine."""
OBSERVED = (
    PODS, JOBS, JOB_SETS, SERVICES, CLAIMS, TRAIN_JOBS, TRAINING_RUNTIMES, CONFIG_MAPS, SECRETS, PYTORCH_JOBS,
    LOCAL_QUEUES, WORKLOADS,
)  # fmt: skip
OF_THE_CLUSTER = (
    CLUSTER_TRAINING_RUNTIMES, RESOURCE_FLAVORS, CLUSTER_QUEUES, COHORTS, TOPOLOGIES, ADMISSION_CHECKS,
    WORKLOAD_PRIORITY_CLASSES,
)  # fmt: skip
_PATCH_TYPES = {
    "merge": PatchType.MERGE,
    "json": PatchType.JSON,
    "strategic": PatchType.STRATEGIC,
    "apply": PatchType.APPLY,
}


class Player:
    """Plays one trace; the server must not hold the trace's namespace yet.

    ``agrees`` says whether differences are none in truth; while they are some, the player looks again for a while.
    """

    def __init__(
        self,
        client: Client,
        clock: Clock,
        trace: Object,
        agrees: Callable[[Sequence[Difference]], bool] = lambda _: True,
    ) -> None:
        self._client = client
        self._clock = clock
        self._trace = trace
        self._agrees = agrees
        self._namespace: str = trace["namespace"]
        self._names = Names()
        self._kubelet = ScriptedKubelet(client, clock, self._namespace)
        self._last_change = clock.monotonic()
        self._by_kind = {resource.kind: resource for resource in (*OBSERVED, *OF_THE_CLUSTER)}

    async def play(self) -> list[Difference]:
        """Every difference between the recorded run and this one."""
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._namespace}}
        await self._client.create(NAMESPACES, namespace)
        await self._make_service_accounts()
        tasks = [asyncio.create_task(self._observe(resource)) for resource in (*OBSERVED, EVENTS)]
        if self._trace["kubelet"]["terminate"] == "auto":
            tasks.append(asyncio.create_task(self._kubelet.terminate_deleted_pods()))
        try:
            return await self._steps()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _make_service_accounts(self) -> None:
        """Those that recorded pods run as: nobody looked for them in the recorded cluster."""
        pods = [pod for snapshot in self._trace["snapshots"] for pod in snapshot["objects"].get("Pod", ())]
        for name in {pod["spec"].get("serviceAccountName") or "default" for pod in pods} - {"default"}:
            await self._client.create(SERVICE_ACCOUNTS, {"metadata": {"name": name}}, namespace=self._namespace)

    async def clean_up(self) -> None:
        """Delete the trace's namespace and what it made outside, so that it can be played again."""
        made = [step["object"] for step in self._trace["steps"] if step["op"] == "apply"]
        outside = [(self._by_kind[obj["kind"]], obj["metadata"].get("name", "")) for obj in made]
        await self._delete(NAMESPACES, self._namespace)
        for resource, name in reversed(outside):  # a flavor stays as long as a queue names it
            if resource in OF_THE_CLUSTER:
                await self._delete(resource, name)

    async def _delete(self, resource: Resource, name: str) -> None:
        """Delete one object and see it go. Pods that no kubelet ends any more are ended for it."""
        with contextlib.suppress(NotFound):
            await self._client.delete(resource, name)
            async with asyncio.timeout(LONGEST_SETTLE):
                while True:
                    await self._client.get(resource, name)
                    for pod in (await self._client.list(PODS, self._namespace)).items:
                        with contextlib.suppress(NotFound):
                            await self._client.delete(
                                PODS, objects.name_of(pod), self._namespace, grace_period_seconds=0
                            )
                    await self._clock.sleep(SETTLE_STEP)

    async def _steps(self) -> list[Difference]:
        snapshots = {snapshot["after_step"]: snapshot for snapshot in self._trace["snapshots"]}
        differences: list[Difference] = []
        for number, step in enumerate(self._trace["steps"]):
            answer = await self._do(step)
            if "result" in step:
                differences += self._compare_answers(number, step, answer)
            if number in snapshots:
                differences += await self._compared(number, snapshots[number])
        return differences

    async def _compared(self, number: int, recorded: Object) -> list[Difference]:
        """The differences from a snapshot, once there are none or ``PATIENCE`` is over."""
        deadline = self._clock.monotonic() + PATIENCE
        while True:
            expected, found = recorded, await self._snapshot(recorded)
            if self._names.keys_vary:
                expected, found = without_job_keys(expected), without_job_keys(found)
            differences = list(compare_snapshots(number, without_durations(expected), without_durations(found)))
            if self._agrees(differences) or self._clock.monotonic() >= deadline:
                return differences
            await self._clock.sleep(QUIET_SECONDS)

    async def _do(self, step: Object) -> Object | None:
        match step["op"]:
            case "settle":
                await self._settle()
            case "wait_seconds":
                await self._clock.sleep(step["seconds"])
            case "pods":
                await self._act(step)
            case _:
                answer = await self._request(step)
                await self._clock.sleep(BETWEEN_REQUESTS)
                return answer
        return None

    async def _settle(self) -> None:
        """Wait until nothing has happened in the namespace for a while."""
        start = self._clock.monotonic()
        self._last_change = max(self._last_change, start)
        while self._clock.monotonic() < min(self._last_change + QUIET_SECONDS, start + LONGEST_SETTLE):
            await self._clock.sleep(SETTLE_STEP)

    async def _observe(self, resource: Resource) -> None:
        async for event in self._client.watch(resource, self._namespace):
            self._last_change = self._clock.monotonic()
            if event.type == "ADDED":
                self._names.learn(event.object)

    async def _request(self, step: Object) -> Object:
        """The answer as the recording has it: ``{code, object}``, or the Status."""
        dry_run = bool((step.get("params") or {}).get("dryRun"))
        try:
            match step["op"]:
                case "apply":
                    resource = self._by_kind[step["object"]["kind"]]
                    obj = objects.copy_of(step["object"])
                    namespace = self._namespace if resource.namespaced else ""
                    made = await self._client.create(
                        resource, obj, namespace=namespace, field_manager=MANAGER, dry_run=dry_run
                    )
                    if "object" in step["result"] or not dry_run:
                        self._names.learn(made)
                    return {"code": 201, "object": made}
                case "patch":
                    resource = self._by_kind[step["kind"]]
                    changed = await self._client.patch(
                        resource,
                        self._real(step["name"]),
                        step["body"],
                        namespace=self._namespace if resource.namespaced else "",
                        patch_type=_PATCH_TYPES[step["type"]],
                        subresource=step.get("subresource") or "",
                        field_manager=MANAGER,
                        dry_run=dry_run,
                    )
                    return {"code": 200, "object": changed}
                case "delete":
                    body = step.get("body") or {}
                    gone = await self._client.delete(
                        self._by_kind[step["kind"]],
                        self._real(step["name"]),
                        self._namespace,
                        propagation_policy=body.get("propagationPolicy") or "",
                        grace_period_seconds=body.get("gracePeriodSeconds"),
                    )
                    return _deleted(gone)
        except ApiError as error:
            return _refusal(error.to_status())
        raise ValueError(f"unknown step {step['op']}")

    async def _act(self, step: Object) -> None:
        """On all pods of a step at once: bound beforehand, so that what happens to them is seen together."""
        names = [await self._known(name) for name in step["pods"]]
        if step["to"] not in ENDS:
            for name in names:
                await self._kubelet.act(name, "bound", step)
        await asyncio.gather(*(self._kubelet.act(name, step["to"], step) for name in names))

    async def _known(self, name: str) -> str:
        """The real name of a pod, which a slow server may be about to make."""
        deadline = self._clock.monotonic() + PATIENCE
        while not self._names.knows(name) and self._clock.monotonic() < deadline:
            await self._clock.sleep(SETTLE_STEP)
        return self._names.real(name)

    def _real(self, name: str) -> str:
        return self._names.real(name) if self._names.knows(name) else name

    def _compare_answers(self, number: int, step: Object, answer: Object | None) -> Sequence[Difference]:
        expected: Mapping[str, Any] = {key: value for key, value in step["result"].items() if key != "warnings"}
        if answer is not None and "object" not in expected:
            # Some accepted requests were recorded without what came back.
            answer = {key: value for key, value in answer.items() if key != "object"}
        kind = step.get("kind") or step["object"]["kind"]
        if step["op"] == "apply" and "generateName" in step["object"]["metadata"]:
            expected, answer = _unnamed(expected), _unnamed(answer)
        found = self._names.normalised(answer)
        if kind == "Workload":
            expected, found = with_sorted_conditions(expected), with_sorted_conditions(found)
        return list(compare(number, f"Answer:{kind}", "", expected, found))

    async def _snapshot(self, recorded: Object) -> Object:
        """The kinds that the recording shows, and all events."""
        found: dict[str, list[Object]] = {}
        for resource in OBSERVED:
            items = (await self._client.list(resource, self._namespace)).items
            shown = [normalised_object(self._names, _with_kind(resource, item)) for item in items]
            if shown and (resource.kind in recorded["objects"] or resource.kind in ("Pod", "Job", "JobSet")):
                found[resource.kind] = shown
        events = (await self._client.list(EVENTS, self._namespace)).items
        return {"objects": found, "events": normalised_events(self._names, events)}


def _with_kind(resource: Resource, item: Object) -> Object:
    return {"apiVersion": resource.api_version, "kind": resource.kind, **item}


def _unnamed(answer: Any) -> Any:
    """A refusal without the name that was generated for the refused object."""
    name = ((answer or {}).get("details") or {}).get("name")
    return json.loads(json.dumps(answer).replace(name, "<generated>")) if name else answer


def _deleted(answer: Object) -> Object:
    if answer.get("kind") != "Status":
        return {"code": 200, "object": answer}
    return {"code": 200, "message": "", **{key: answer[key] for key in ("status", "details") if key in answer}}


def _refusal(status: Object) -> Object:
    return {key: value for key, value in status.items() if key not in ("kind", "apiVersion", "metadata")}
