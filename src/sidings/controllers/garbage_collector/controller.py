"""The garbage collector: keeps the graph, carries out verdicts.

A key is a uid. It is looked at when its object changes, when one of its owners goes or starts to wait, and when one of
its dependents goes. The graph lags behind the API, and after a start it is empty: no verdict is passed before every
kind was listed once, and nothing that cannot be taken back happens before the API itself was asked.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Sequence

from sidings.api import catalog
from sidings.api.kinds.custom_resource_definition import resources_of
from sidings.api.objects import Key, Object, uid_of
from sidings.api.resources import CRDS, Resource
from sidings.api.status import ApiError, Expired, NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.garbage_collector.graph import FOREGROUND, ORPHAN, Graph, Node, Owner, node_of
from sidings.controllers.garbage_collector.verdict import Fate, Verdict, may_finish_foreground, on_owners
from sidings.controllers.runtime.controller import REWATCH_SECONDS
from sidings.controllers.runtime.queue import WorkQueue

log = logging.getLogger(__name__)

WORKERS = 8


class GarbageCollector:
    """Follows ownerReferences over all of ``resources``."""

    name = "garbage-collector"

    def __init__(self, client: Client, clock: Clock, rng: random.Random, resources: Sequence[Resource]) -> None:
        self.client = client
        self.clock = clock
        self.queue = WorkQueue(clock, rng)
        self.graph = Graph()
        self._resources = tuple(resources)
        self._unlisted = set(self._resources)
        self._complete = asyncio.Event()
        """Set once the graph has every kind."""
        self._by_kind = {(resource.api_version, resource.kind): resource for resource in resources}
        for kind in catalog.builtin():
            # An owner may be named in any version; it is one object.
            if kind.conversion is not None and kind.conversion.stored.resource in self._resources:
                self._by_kind[kind.resource.api_version, kind.resource.kind] = kind.conversion.stored.resource

    async def run(self) -> None:
        """Watch everything and work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for resource in self._resources:
                tasks.create_task(self._observe(resource), name=f"{self.name} watch {resource.plural}")
            for number in range(WORKERS):
                tasks.create_task(self._work(), name=f"{self.name} worker {number}")
            if CRDS in self._resources:
                tasks.create_task(self._follow_definitions(tasks), name=f"{self.name} watch definitions")

    # --- the graph -------------------------------------------------------------------------------------------------

    async def _observe(self, resource: Resource) -> None:
        while True:
            try:
                seen = await self.client.list(resource)
                present = {uid_of(obj) for obj in seen.items}
                for obj in seen.items:
                    self.see(resource, obj)
                for uid in self.graph.uids_of(resource):
                    if uid not in present:
                        self.lose(uid)
                self._unlisted.discard(resource)
                if not self._unlisted:
                    self._complete.set()
                async for event in self.client.watch(resource, resource_version=seen.resource_version):
                    if event.type == "DELETED":
                        self.lose(uid_of(event.object))
                    elif event.type != "BOOKMARK":
                        self.see(resource, event.object)
            except Expired:
                continue
            except ApiError as error:
                log.warning("%s: watch of %s failed: %s", self.name, resource.plural, error)
            await self.clock.sleep(REWATCH_SECONDS)

    async def _follow_definitions(self, tasks: asyncio.TaskGroup) -> None:
        """Observe custom resources while they are defined."""
        observers: dict[Resource, asyncio.Task[None]] = {}
        while True:
            try:
                async for event in self.client.watch(CRDS):
                    versions = resources_of(event.object)
                    if not versions:
                        continue  # nothing of it is served
                    resource = versions[0]
                    if event.type == "DELETED" and resource in observers:
                        observers.pop(resource).cancel()
                        self._resources = tuple(known for known in self._resources if known != resource)
                        for each in versions:
                            self._by_kind.pop((each.api_version, each.kind), None)
                    elif event.type != "DELETED" and resource not in self._resources:
                        self._resources += (resource,)
                        observers[resource] = tasks.create_task(self._observe(resource))
                    if event.type != "DELETED":
                        self._by_kind |= {(each.api_version, each.kind): resource for each in versions}
            except ApiError as error:
                log.warning("%s: watch of definitions failed: %s", self.name, error)
            await self.clock.sleep(REWATCH_SECONDS)

    def see(self, resource: Resource, obj: Object) -> None:
        """``obj`` lives and looks like this."""
        node = node_of(resource, obj)
        before = self.graph.get(node.uid)
        if before == node:
            return
        self.graph.put(node)
        self._look_at(node.uid)
        if node.waits_for_dependents() or node.orphans_dependents():
            self._look_at(*(dependent.uid for dependent in self.graph.dependents(node.uid)))
        former = before.owners if before else ()
        self._look_at(*(owner.uid for owner in former if owner not in node.owners))

    def lose(self, uid: str) -> None:
        """The object with ``uid`` is gone: its dependents may have to follow, its owners may stop waiting."""
        node = self.graph.get(uid)
        self.graph.remove(uid)
        self._look_at(*(dependent.uid for dependent in self.graph.dependents(uid)))
        if node is not None:
            self._look_at(*(owner.uid for owner in node.owners))

    def _look_at(self, *uids: str) -> None:
        for uid in uids:
            self.queue.add(Key("", uid))

    # --- the work --------------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        await self._complete.wait()
        while True:
            key = await self.queue.get()
            try:
                await self.reconcile(key.name)
            except ApiError as error:
                log.debug("%s: %s failed, again later: %s", self.name, key.name, error)
                self.queue.retry(key)
            except Exception:
                # A bug here must not stop the collection of everything else.
                log.exception("%s: %s failed unexpectedly", self.name, key.name)
                self.queue.retry(key)
            else:
                self.queue.forget(key)
            finally:
                self.queue.done(key)

    async def reconcile(self, uid: str) -> None:
        """Carry out what is due for the object with ``uid``, if it lives."""
        node = self.graph.get(uid)
        if node is None:
            return
        dependents = self.graph.dependents(uid)
        if node.orphans_dependents():
            await self._orphan(node, await self._dependents_now(node))
        elif node.waits_for_dependents():
            # The pods of a restarted JobSet must be gone before their successors come: ask again.
            if may_finish_foreground(node, dependents) and may_finish_foreground(
                node, await self._dependents_now(node)
            ):
                await self._drop_finalizer(node, FOREGROUND)
        elif node.owners:
            # The graph may lag behind: an object that was orphaned a moment ago must not follow its former owner.
            live = await self._live(node)
            if live is not None:
                node = node_of(node.resource, live)
                fates = [(owner, await self._fate(node, owner)) for owner in node.owners]
                if not dependents and any(fate is Fate.WAITING for _, fate in fates):
                    # Deleted in the background, it would be gone before what the graph has not seen yet.
                    dependents = await self._dependents_now(node)
                await self._carry_out(node, on_owners(node, fates, dependents))

    async def _dependents_now(self, owner: Node) -> list[Node]:
        """The dependents that the API has; what the graph did not know of them it knows then."""
        kind, name = owner.resource.kind, owner.name
        for resource in self._resources:
            if resource.namespaced or not owner.namespace:
                namespace = owner.namespace if resource.namespaced else ""
                for obj in await self.client.dependents(resource, namespace, owner_kind=kind, owner_name=name):
                    if any(ref["uid"] == owner.uid for ref in obj["metadata"].get("ownerReferences") or ()):
                        self.see(resource, obj)
        return self.graph.dependents(owner.uid)

    async def _fate(self, node: Node, owner: Owner) -> Fate:
        """Ask the API, not the graph: a dependent is deleted only for an owner that is truly gone."""
        resource = self._by_kind.get((owner.api_version, owner.kind))
        if resource is None:
            return Fate.SOLID  # a kind that is not served here: nobody can know, so nothing is deleted
        namespace = node.namespace if resource.namespaced else ""
        try:
            live = await self.client.get(resource, owner.name, namespace)
        except NotFound:
            return Fate.DANGLING
        if uid_of(live) != owner.uid:
            return Fate.DANGLING
        waiting = node_of(resource, live).waits_for_dependents() and owner.blocks
        return Fate.WAITING if waiting else Fate.SOLID

    async def _carry_out(self, node: Node, verdict: Verdict) -> None:
        if verdict.delete:
            with contextlib.suppress(NotFound):
                await self.client.delete(
                    node.resource, node.name, node.namespace, propagation_policy=verdict.delete, uid=node.uid
                )
        elif verdict.drop:
            await self._strike_owners(node, verdict.drop)

    async def _orphan(self, node: Node, dependents: Sequence[Node]) -> None:
        for dependent in dependents:
            await self._strike_owners(dependent, (node.uid,))
        await self._drop_finalizer(node, ORPHAN)

    async def _strike_owners(self, node: Node, uids: Sequence[str]) -> None:
        live = await self._live(node)
        if live is None:
            return
        owners = [ref for ref in live["metadata"].get("ownerReferences") or () if ref["uid"] not in uids]
        await self._patch_metadata(node, live, {"ownerReferences": owners or None})

    async def _drop_finalizer(self, node: Node, finalizer: str) -> None:
        live = await self._live(node)
        if live is None:
            return
        finalizers = [name for name in live["metadata"].get("finalizers") or () if name != finalizer]
        await self._patch_metadata(node, live, {"finalizers": finalizers or None})

    async def _patch_metadata(self, node: Node, live: Object, change: Object) -> None:
        """A merge patch that fails with Conflict if somebody changed the object since ``live`` was read."""
        body = {"metadata": {"resourceVersion": live["metadata"]["resourceVersion"], "uid": node.uid, **change}}
        with contextlib.suppress(NotFound):
            await self.client.patch(
                node.resource, node.name, body, namespace=node.namespace, field_manager="kube-controller-manager"
            )

    async def _live(self, node: Node) -> Object | None:
        try:
            live = await self.client.get(node.resource, node.name, node.namespace)
        except NotFound:
            return None
        return live if uid_of(live) == node.uid else None
