"""The loop around ``queue.cycle``: as soon as there is a head, one cycle; then its decisions are written.

It decides nothing before it has seen all there is. All decisions of a cycle are counted before the first is written,
and all are written before the next cycle begins; a write that fails puts its Workload back, one whose answer is lost
is read. What came free is looked at again a second later, so that a job that ends in
many steps causes one look.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from sidings.api.kueue.configuration import Configuration
from sidings.api.objects import Key, Object, key_of
from sidings.api.resources import PODS, WORKLOADS, Resource
from sidings.api.status import ApiError, Expired, NotFound
from sidings.client.events import EventNote, Recorder
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.kueue import carrying_out, words
from sidings.controllers.kueue.cache import SURROUNDINGS, Cache
from sidings.controllers.kueue.local_queue_usage import LocalQueueUsage
from sidings.controllers.kueue.metrics import KueueMetrics
from sidings.controllers.kueue.settings import Settings
from sidings.controllers.runtime.controller import REWATCH_SECONDS
from sidings.controllers.runtime.plan import together
from sidings.queue import cycle
from sidings.queue.cycle import Decision, Head, Outcome
from sidings.queue.preemption import Config
from sidings.queue.requeueing import Requeue
from sidings.queue.snapshot import Snapshot
from sidings.queue.topology import replacement
from sidings.queue.waiting import Waiting
from sidings.queue.workloads import Workload

log = logging.getLogger(__name__)

FIELD_MANAGER = "kueue-admission"
FLUSH_AFTER = 1.0
"""Seconds for which changes are collected before all that were set aside are looked at again (Kueue v0.19)."""
PARALLEL_WRITES = 8
RETRY_AFTER = 0.05
"""Seconds between a cycle that could not be written as a whole and the next."""
WATCHED: tuple[Resource, ...] = (*SURROUNDINGS, PODS, WORKLOADS)


class Scheduler:
    """Its cache may be read by others of this process: who is pending, what is used."""

    name = "kueue scheduler"

    def __init__(self, client: Client, clock: Clock, settings: Settings) -> None:
        self.cache = Cache()
        self.metrics = KueueMetrics(self.cache)
        self._client = client
        self._clock = clock
        self._settings = settings
        self._recorder = Recorder(client, clock, words.ADMISSION, classic=False)
        self._wake = asyncio.Event()
        self._number = 0
        self._listed: set[Resource] = set()
        self._failed = False
        """Whether something of the present cycle could not be written."""
        self._flush: asyncio.Task[None] | None = None
        self._seen = -1
        """The changes that the last cycle knew: without others it would decide the same again."""
        self.changed: Callable[[], None] = lambda: None
        """Called after every change of the cache."""
        self.usage = LocalQueueUsage(client, clock, self.cache, settings)

    async def run(self) -> None:
        """Watch and decide until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for resource in WATCHED:
                tasks.create_task(self._watch(resource), name=f"{self.name} watch {resource.plural}")
            await self._decide(tasks)

    async def _watch(self, resource: Resource) -> None:
        while True:
            try:
                found = await self._client.list(resource)
                present = {key_of(obj) for obj in found.items}
                for key in self.cache.known(resource) - present:
                    self._forget(resource, key)
                for obj in found.items:
                    self._see(resource, obj, gone=False)
                self._listed.add(resource)
                self._woken()
                async for event in self._client.watch(resource, resource_version=found.resource_version):
                    if event.type != "BOOKMARK":
                        self._see(resource, event.object, gone=event.type == "DELETED")
            except Expired:
                continue
            except ApiError as error:
                log.warning("%s: watch of %s failed: %s", self.name, resource.plural, error)
            await self._clock.sleep(REWATCH_SECONDS)

    def _forget(self, resource: Resource, key: Key) -> None:
        """It went while nobody watched."""
        self._see(resource, {"metadata": {"name": key.name, "namespace": key.namespace}, "spec": {}}, gone=True)

    def _see(self, resource: Resource, obj: Object, *, gone: bool) -> None:
        now = self._clock.now()
        if resource == PODS:
            if not self.cache.see_pod(obj, gone=gone):
                return
        elif resource == WORKLOADS:
            if not gone:
                self.metrics.changed(self.cache.workload(key_of(obj)), obj, now)
            self.cache.see_workload(obj, gone=gone, now=now)
        else:
            self.cache.see(resource, obj, gone=gone, now=now)
        self._woken()

    def _woken(self) -> None:
        """Half of the objects would look like free quota, and like queues that nobody uses."""
        if len(self._listed) == len(WATCHED):
            self._wake.set()
            self.changed()

    async def _decide(self, tasks: asyncio.TaskGroup) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            # All events of one moment first: a queue and its flavor often come together.
            await asyncio.sleep(0)
            self.cache.refresh(self._clock.now())
            self._flush_later(tasks)
            await self._replace_nodes()
            while self.cache.has_heads and self.cache.changes != self._seen:
                self._seen = self.cache.changes
                await self._turn()
                self._flush_later(tasks)
            if bypassed := self.cache.bypassed():
                tasks.create_task(self._tell(bypassed), name=f"{self.name} bypassed")

    def _flush_later(self, tasks: asyncio.TaskGroup) -> None:
        if self.cache.flush_is_due and (self._flush is None or self._flush.done()):
            self._flush = tasks.create_task(self._flush_soon(), name=f"{self.name} flush")

    async def _flush_soon(self) -> None:
        await self._clock.sleep(FLUSH_AFTER)
        self.cache.flush()
        self._wake.set()

    async def _replace_nodes(self) -> None:
        """Pods on failed nodes get others before anybody new is admitted; where there are none, all of them go."""
        for workload in self.cache.broken():
            obj = self.cache.workload(Key(workload.namespace, workload.name))
            if obj is None:
                continue
            notes: list[EventNote] = []
            found = replacement.admission(self.cache.snapshot, workload)
            if found is not None:
                changed = carrying_out.replacement(obj, found)
            else:
                changed, notes = carrying_out.no_replacement(obj, workload.unhealthy_nodes, self._clock.now())
            stored = await self._write(changed, notes)
            if stored is not None:
                self._see(WORKLOADS, stored, gone=False)
            else:  # somebody was faster, which the watch tells
                await self._clock.sleep(RETRY_AFTER)
                self._wake.set()

    async def _turn(self) -> None:
        """One cycle and its writes."""
        self.cache.refresh(self._clock.now())
        self._failed = False
        edition, snapshot = self.cache.edition, self.cache.snapshot
        heads = self.cache.heads()
        self._number += 1
        began = self._clock.monotonic()
        decisions = self._decisions(snapshot, heads)
        admitted = any(decision.outcome is Outcome.ADMIT for decision in decisions)
        self.metrics.cycle(self._clock.monotonic() - began, admitted=admitted)
        for decision in decisions:
            if decision.outcome is Outcome.ADMIT:
                self._assume(decision)
        gate = asyncio.Semaphore(PARALLEL_WRITES)
        async with asyncio.TaskGroup() as writes:
            for decision in decisions:
                writes.create_task(self._carry_out(decision, snapshot, gate))
        for decision in decisions:
            if decision.outcome is not Outcome.ADMIT and self.cache.edition == edition:
                waiting = decision.head.waiting
                again = Waiting(waiting.workload, waiting.shape, decision.progress)
                self.cache.give_back(decision.head, again, decision.requeue)
        self.changed()
        if self._failed:
            await self._clock.sleep(RETRY_AFTER)
            self.cache.look_again()

    def _decisions(self, snapshot: Snapshot, heads: list[Head]) -> list[Decision]:
        """Of the cycle; with ``blockAdmission`` one admission at a time, and none before all pods of it are ready."""
        settings = self._settings.current
        if not settings.wait_for_pods_ready.block_admission:
            return cycle.run(snapshot, heads, scheduling_rules(settings), self._number)
        if not self.cache.all_pods_ready:
            return [_held_back(head) for head in heads]
        decisions = cycle.run(snapshot, heads, scheduling_rules(settings), self._number)
        first = next((decision for decision in decisions if decision.outcome is Outcome.ADMIT), None)
        return [
            _held_back(decision.head) if decision.outcome is Outcome.ADMIT and decision is not first else decision
            for decision in decisions
        ]

    def _assume(self, decision: Decision) -> None:
        workload = decision.head.waiting.workload
        self.cache.assume(replace(workload, admission=decision.admission, reserved_at=self._clock.now()))

    async def _carry_out(self, decision: Decision, snapshot: Snapshot, gate: asyncio.Semaphore) -> None:
        async with gate:
            if decision.outcome is Outcome.ADMIT:
                await self._admit(decision, snapshot)
            elif decision.outcome is Outcome.PREEMPT:
                await self._preempt(decision)
            else:
                await self._refuse(decision)

    async def _admit(self, decision: Decision, snapshot: Snapshot) -> None:
        key = _key(decision)
        assert decision.admission is not None
        checks = bool(snapshot.queues[decision.head.cluster_queue].checks_of(decision.admission))
        obj = self.cache.workload(key)
        stored = None
        if obj is not None:
            changed, notes = carrying_out.admission(obj, decision, checks=checks, now=self._clock.now())
            stored = await self._write(changed, notes) or await self._written_after_all(key, changed)
        if stored is None:
            self.cache.forget(key, self._clock.now())
        else:
            now = self._clock.now()
            # The watch may be later than the answer, or earlier; whoever is first counts.
            self.metrics.changed(self.cache.workload(key), stored, now)
            self.cache.confirm(stored, now)
            self.usage.admitted(replace(decision.head.waiting.workload, admission=decision.admission))

    async def _written_after_all(self, key: Key, changed: Object) -> Object | None:
        """The Workload, if it has the admission of ``changed`` although the answer to the write was an error."""
        while True:
            try:
                stored = await self._client.get(WORKLOADS, key.name, key.namespace)
            except NotFound:
                return None
            except ApiError as error:
                log.warning("%s: %s: %s", self.name, key.name, error)
                await self._clock.sleep(REWATCH_SECONDS)
            else:
                admission = (stored.get("status") or {}).get("admission")
                return stored if admission == changed["status"]["admission"] else None

    async def _refuse(self, decision: Decision) -> None:
        obj = self.cache.workload(_key(decision))
        if obj is not None:
            changed, notes = carrying_out.refusal(obj, decision, self._clock.now())
            await self._write(changed, notes)

    async def _tell(self, bypassed: Sequence[Workload]) -> None:
        """Those that nobody looks at say so; the next cycle does not wait for it."""
        await together([self._bypass(workload) for workload in bypassed], PARALLEL_WRITES)

    async def _bypass(self, workload: Workload) -> None:
        key = Key(workload.namespace, workload.name)
        while self.cache.is_set_aside(key) and (obj := self.cache.workload(key)) is not None:
            changed = carrying_out.bypass(obj, workload, self._clock.now())
            if changed is None or await self._write(changed, []) is not None:
                return
            await self._clock.sleep(REWATCH_SECONDS)

    async def _preempt(self, decision: Decision) -> None:
        preemptor = self.cache.workload(_key(decision))
        for victim in decision.evictions:
            obj = self.cache.workload(Key(victim.workload.namespace, victim.workload.name))
            if obj is not None and preemptor is not None:
                self.metrics.preempted(decision.head.cluster_queue, victim.reason)
                changed, notes = carrying_out.eviction(obj, victim, preemptor, decision, self._clock.now())
                await self._write(changed, notes)
        await self._refuse(decision)

    async def _write(self, workload: Object | None, notes: list[EventNote]) -> Object | None:
        """Write a status, then tell; None where nothing was written, be it that somebody was faster."""
        stored = None
        if workload is not None:
            try:
                stored = await self._client.update(
                    WORKLOADS, workload, subresource="status", field_manager=FIELD_MANAGER
                )
            except ApiError as error:
                log.debug("%s: %s: %s", self.name, workload["metadata"]["name"], error)
                self._failed = True
                return None
        for note in notes:
            with contextlib.suppress(ApiError):
                await self._recorder.record(note)
        return stored


def _held_back(head: Head) -> Decision:
    return Decision(
        head,
        Outcome.WAIT,
        reason=words.WAITING_FOR_PODS_READY,
        message=words.WAITING_FOR_PODS_READY_MESSAGE,
        requeue=Requeue.FAILED_AFTER_NOMINATION,
    )


def scheduling_rules(configuration: Configuration) -> Config:
    """What of the configuration concerns a cycle."""
    sharing = configuration.fair_sharing
    return Config(sharing.enabled, sharing.strategies)


def _key(decision: Decision) -> Key:
    workload = decision.head.waiting.workload
    return Key(workload.namespace, workload.name)
