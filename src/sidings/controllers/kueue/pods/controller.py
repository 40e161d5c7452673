"""Reads a group of pods and its Workload, has ``plan`` decide the next step, and takes it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from sidings.api.kueue import keys, pods
from sidings.api.objects import Key, Object, name_of, namespace_of
from sidings.api.resources import (
    PODS,
    PRIORITY_CLASSES,
    RESOURCE_FLAVORS,
    WORKLOAD_PRIORITY_CLASSES,
    WORKLOADS,
    Resource,
)
from sidings.api.status import NotFound
from sidings.client.events import Recorder
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.kueue.jobs import orphans
from sidings.controllers.kueue.jobs.uncomposed import Uncomposed
from sidings.controllers.kueue.pods import plan
from sidings.controllers.kueue.pods.group import Group
from sidings.controllers.kueue.settings import Settings
from sidings.controllers.runtime.controller import Controller, Mapper
from sidings.controllers.runtime.plan import carry_out

FIELD_MANAGER = "kueue"
GROUP = "group/"
"""Before the name of a key that means a group and not a pod."""


class QueuedPods(Controller):
    """Pods that name a queue themselves."""

    name = "kueue pod"
    resource = PODS

    def __init__(self, client: Client, clock: Clock, rng: random.Random, settings: Settings) -> None:
        super().__init__(client, clock, rng)
        self._settings = settings
        self._uncomposed = Uncomposed()
        self._recorder = Recorder(client, clock, "pod-kueue-controller", classic=False)

    def keys(self, obj: Object) -> Iterable[Key]:
        if not pods.is_managed(obj):
            return ()
        group = pods.group_of(obj)
        return (Key(namespace_of(obj), f"{GROUP}{group}" if group else name_of(obj)),)

    def watched(self) -> Mapping[Resource, Mapper]:
        return {WORKLOADS: _of_workload, **self._uncomposed.watched()}

    async def reconcile(self, key: Key) -> float | None:
        group = await self._group(key)
        if group is None:
            self._uncomposed.forget(key)
            await orphans.let_go(self.client, await self._left_behind(key), field_manager=FIELD_MANAGER)
            return None
        due = plan.plan(await self._snapshot(group), self._settings.current, self.clock.now())
        self._uncomposed.planned(key, due)
        await carry_out(self.client, due, field_manager=FIELD_MANAGER)
        for note in due.events:
            await self._recorder.record(note)
        return due.requeue_after

    async def _group(self, key: Key) -> Group | None:
        if key.name.startswith(GROUP):
            name = key.name.removeprefix(GROUP)
            found = (await self.client.list(PODS, key.namespace, label_selector=f"{keys.POD_GROUP}={name}")).items
            members = sorted(filter(pods.is_managed, found), key=_age)
            return Group(name, members) if members else None
        try:
            return Group("", [await self.client.get(PODS, key.name, key.namespace)])
        except NotFound:
            return None

    async def _left_behind(self, key: Key) -> Sequence[Object]:
        """Workloads of pods that are gone."""
        if not key.name.startswith(GROUP):
            return await self.client.dependents(WORKLOADS, key.namespace, owner_kind="Pod", owner_name=key.name)
        try:
            return [await self.client.get(WORKLOADS, key.name.removeprefix(GROUP), key.namespace)]
        except NotFound:
            return []

    async def _snapshot(self, group: Group) -> plan.Snapshot:
        try:
            workload = await self.client.get(WORKLOADS, group.workload_name, namespace_of(group.first))
        except NotFound:
            workload = None
        return plan.Snapshot(
            group,
            workload,
            await self._by_name(RESOURCE_FLAVORS),
            await self._by_name(WORKLOAD_PRIORITY_CLASSES),
            await self._by_name(PRIORITY_CLASSES),
        )

    async def _by_name(self, resource: Resource) -> dict[str, Object]:
        return {name_of(item): item for item in (await self.client.list(resource)).items}


def _of_workload(obj: Object) -> Iterable[Key]:
    if obj["metadata"].get("annotations", {}).get(keys.IS_GROUP_WORKLOAD) == "true":
        return (Key(namespace_of(obj), f"{GROUP}{name_of(obj)}"),)
    owners = obj["metadata"].get("ownerReferences") or ()
    return [Key(namespace_of(obj), owner["name"]) for owner in owners if owner["kind"] == "Pod"]


def _age(pod: Object) -> tuple[str, str]:
    return pod["metadata"]["creationTimestamp"], name_of(pod)
