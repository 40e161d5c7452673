"""The stage of the JobSet cases that is any API with a JobSet controller behind it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.resources import CLAIMS, EVENTS, JOB_SETS, JOBS, NAMESPACES, PODS, SERVICES, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client, PatchType
from sidings.clock import Clock
from tests.conformance.jobset_script import HOLD, job_status, numbered, placed, pod, resized

APPLIER = "script"
QUIET_SECONDS = 1.5
LONGEST_WAIT = 20.0
_BY_KIND = {resource.kind: resource for resource in (JOB_SETS, SERVICES, JOBS, CLAIMS)}


class Server:
    """Any API with a JobSet controller behind it; the case has the namespace ``namespace`` for itself."""

    def __init__(self, client: Client, clock: Clock, namespace: str) -> None:
        self._client = client
        self._clock = clock
        self._namespace = namespace
        self._moment = clock.now()
        self._name = ""

    async def start(self, jobset: Object, status: Object) -> None:
        await self._client.create(NAMESPACES, {"metadata": {"name": self._namespace}})
        self._sent = jobset
        created = await self._client.create(JOB_SETS, jobset, namespace=self._namespace, field_manager=APPLIER)
        self._name = objects.name_of(created)
        if status:
            await self._patch(JOB_SETS, self._name, {"status": status}, "status")
        await self.settled()

    async def act(self, verb: str, what: Any, step: Object) -> None:
        match verb:
            case "hold" | "release":
                finalizers = [HOLD] if verb == "hold" else None
                for name in what:
                    await self._patch(JOBS, name, {"metadata": {"finalizers": finalizers}})
            case "set":
                await self._patch(JOB_SETS, self._name, {"spec": what})
            case "place":
                live = await self._client.get(JOB_SETS, self._name, self._namespace)
                await self._client.update(JOB_SETS, placed(live, what))
            case "resize":
                live = await self._client.get(JOB_SETS, self._name, self._namespace)
                await self._client.update(JOB_SETS, resized(live, what))
            case "pods":
                await self._have_pods([pod(number, attempt) for number, attempt in enumerate(what)])
            case "wait":
                await self._clock.sleep(what)
            case "numbers":
                for name, (ready, succeeded) in what.items():
                    live = await self._client.get(JOBS, name, self._namespace)
                    status = numbered(ready, succeeded, self._clock.now(), live)
                    await self._patch(JOBS, name, {"status": status}, "status")
            case "keep":
                await self._patch(JOB_SETS, self._name, {"metadata": {"finalizers": [HOLD]}})
            case "apply":
                await self._client.patch(
                    JOB_SETS,
                    self._name,
                    self._sent,
                    namespace=self._namespace,
                    patch_type=PatchType.APPLY,
                    field_manager=APPLIER,
                    force=True,
                )
            case "delete":
                kind, name = what.split()
                policy = "Foreground" if kind == JOB_SETS.kind else "Background"
                await self._client.delete(_BY_KIND[kind], name, self._namespace, propagation_policy=policy)
            case _:
                for name in what:
                    self._moment += timedelta(seconds=1)
                    live = await self._client.get(JOBS, name, self._namespace)
                    await self._patch(JOBS, name, {"status": job_status(verb, step, self._moment, live)}, "status")

    async def _have_pods(self, wanted: list[Object]) -> None:
        """These and no others: the Jobs have none, as nobody runs them."""
        live = {objects.name_of(found) for found in (await self._client.list(PODS, self._namespace)).items}
        for made in wanted:
            name = objects.name_of(made)
            if name in live:
                await self._patch(PODS, name, {"metadata": {"annotations": made["metadata"]["annotations"]}})
            else:
                await self._client.create(PODS, made, namespace=self._namespace)
        for name in live - {objects.name_of(made) for made in wanted}:
            await self._client.delete(PODS, name, self._namespace, grace_period_seconds=0)

    async def settled(self) -> tuple[Object | None, list[Object], list[str]]:
        before, waited = None, 0.0
        while waited < LONGEST_WAIT:
            await self._clock.sleep(QUIET_SECONDS)
            waited += QUIET_SECONDS
            now = await self._look()
            if now == before:
                break
            before = now
        return await self._look()

    async def find(self, kind: str, name: str) -> Object | None:
        try:
            return await self._client.get(_BY_KIND[kind], name, self._namespace)
        except NotFound:
            return None

    async def _look(self) -> tuple[Object | None, list[Object], list[str]]:
        try:
            jobset = await self._client.get(JOB_SETS, self._name, self._namespace)
        except NotFound:
            jobset = None
        jobs = (await self._client.list(JOBS, self._namespace)).items
        told = (await self._client.list(EVENTS, self._namespace)).items
        events = [f"{event['type']} {event['reason']} {event['message']}" for event in told]
        services = (await self._client.list(SERVICES, self._namespace)).items
        return jobset, jobs, events + [f"Service {objects.name_of(service)}" for service in services]

    async def _patch(self, resource: Resource, name: str, body: Object, subresource: str = "") -> None:
        await self._client.patch(
            resource, name, body, namespace=self._namespace, patch_type=PatchType.MERGE, subresource=subresource
        )
