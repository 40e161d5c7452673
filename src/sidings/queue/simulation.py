"""A stream of workloads over queues on virtual time: who waits how long, what is used, what is evicted.

Every workload takes its run time from admission to end, and starts anew when it was evicted. Deciding takes the time
that it is measured to take, writing what a limit on writes makes of it, everything else none; as in the published
harness, where those were the costs. ``cycle`` decides, this module only carries out.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from itertools import count
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.queue import cycle, snapshot
from sidings.queue.cycle import Decision, Head, Outcome
from sidings.queue.pending import PendingQueue
from sidings.queue.preemption import Config
from sidings.queue.usage_history import UsageHistory
from sidings.queue.waiting import Waiting
from sidings.queue.workloads import Workload, held

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
BURST = 2.0
"""Seconds of writes that may be saved up: upstream's client has 50 a second and a burst of 100."""


class Arrival(NamedTuple):
    """``workload`` comes to ``cluster_queue`` after ``at`` seconds, runs for ``runtime``; ``group`` is for reports."""

    at: float
    workload: Workload
    cluster_queue: str
    runtime: float
    group: str


class What(Enum):
    ADMITTED = "admitted"
    EVICTED = "evicted"
    FINISHED = "finished"


class Happening(NamedTuple):
    at: float
    what: What
    workload: str


@dataclass
class Report:
    """Times in seconds. ``busy`` is resource-seconds of work by resource, in the units of ``amounts``."""

    makespan: float = 0.0
    admissions: int = 0
    evictions: int = 0
    cycles: int = 0
    writes: int = 0
    deciding: float = 0.0
    waits: dict[str, list[float]] = field(default_factory=dict)
    """From creation to the last admission, by group."""
    busy: dict[str, float] = field(default_factory=dict)
    history: list[Happening] = field(default_factory=list)


class Simulation:
    """``flush_after`` is for how long changes are collected before everybody set aside is looked at again.

    ``measure`` reads a clock of the machine, to charge virtual time for decisions; one that stands still makes a run
    reproducible. ``history``: what LocalQueues have used decides in the queues that ask for it.
    """

    def __init__(
        self,
        objects: Iterable[Object],
        arrivals: Sequence[Arrival],
        config: Config,
        *,
        flush_after: float,
        writes_per_second: float | None,
        measure: Callable[[], float],
        history: UsageHistory | None = None,
    ) -> None:
        self._snapshot = snapshot.build(objects)
        self._history = history
        if history is not None:
            history.order(self._snapshot)
        self._sampled = 0.0
        self._config = config
        self._flush_after = flush_after
        self._limit = writes_per_second
        self._measure = measure
        self._queues = {q.name: PendingQueue.of(q) for q in self._snapshot.queues.values()}
        self._arrivals = {arrival.workload.key: arrival for arrival in arrivals}
        self._number = count()
        self._coming: list[tuple[float, int, Workload]] = []
        """Arrivals and ends by time; the latter hold an admission."""
        self._running: dict[str, Workload] = {}
        self._changed: set[object] = set()
        self._flush_at: float | None = None
        self._now = 0.0
        self._written_until = -BURST
        self._admitted_at: dict[str, float] = {}
        self.report = Report()
        for arrival in arrivals:
            at = BEGIN + timedelta(seconds=arrival.at)
            self._expect(arrival.at, replace(arrival.workload, queued_at=at))

    def run(self) -> Report:
        """Plays until nobody can make progress any more."""
        stuck: set[str] = set()
        while True:
            self._catch_up()
            heads = [Head(waiting, q.name) for q in self._queues.values() if (waiting := q.pop()) is not None]
            keys = {head.waiting.workload.key for head in heads}
            if heads and (self._turn(heads) or keys != stuck):
                stuck = keys
                continue
            # Nobody to decide, or the same heads as before were refused again: only time can change that.
            later = [self._coming[0][0]] if self._coming else []
            if self._flush_at is not None:
                later.append(self._flush_at)
            if not later:
                break
            self._now = max(self._now, min(later))
        self.report.makespan = self._now
        for key, at in self._admitted_at.items():
            arrival = self._arrivals[key]
            self.report.waits.setdefault(arrival.group, []).append(at - arrival.at)
        return self.report

    def _catch_up(self) -> None:
        """Everything that is due by now."""
        while self._coming and self._coming[0][0] <= self._now:
            self._sample(until=self._coming[0][0])
            at, _, workload = heapq.heappop(self._coming)
            if workload.admission is None:
                self._queues[self._arrivals[workload.key].cluster_queue].push(workload)
            elif self._running.get(workload.key) is workload:
                self._release(workload, at)
                self._happened(at, What.FINISHED, workload)
        self._sample(until=self._now)
        if self._flush_at is not None and self._flush_at <= self._now:
            for queue in self._snapshot.queues.values():
                if queue.root in self._changed:
                    self._queues[queue.name].flush(lambda workload: True)
            self._changed.clear()
            self._flush_at = None

    def _sample(self, *, until: float) -> None:
        """The samples of what LocalQueues use that are due by then."""
        if self._history is None:
            return
        while self._sampled + self._history.rules.sampling_interval <= until:
            self._sampled += self._history.rules.sampling_interval
            self._history.sample(self._running.values(), BEGIN + timedelta(seconds=self._sampled))

    def _turn(self, heads: list[Head]) -> bool:
        """One cycle; whether it admitted or evicted anybody."""
        begun = self._measure()
        self.report.cycles += 1
        decisions = cycle.run(self._snapshot, heads, self._config, self.report.cycles)
        took = self._measure() - begun
        self.report.deciding += took
        self._now += took
        for decision in decisions:
            self._carry_out(decision)
        return any(decision.outcome is not Outcome.WAIT for decision in decisions)

    def _carry_out(self, decision: Decision) -> None:
        waiting = decision.head.waiting
        if decision.outcome is Outcome.ADMIT:
            self._admit(decision)
            return
        for eviction in decision.evictions:
            victim = self._running[eviction.workload.key]
            self._write()
            self._release(victim, self._now)
            self._happened(self._now, What.EVICTED, victim)
            self.report.evictions += 1
            self._queues[held(victim).cluster_queue].push(replace(victim, admission=None, reserved_at=None))
        # The reason is written while the cycle waits, as upstream's.
        self._now = max(self._now, self._write())
        again = Waiting(waiting.workload, waiting.shape, decision.progress)
        self._queues[decision.head.cluster_queue].requeue(again, decision.requeue)

    def _admit(self, decision: Decision) -> None:
        at = max(self._now, self._write())
        reserved = BEGIN + timedelta(seconds=at)
        workload = replace(decision.head.waiting.workload, admission=decision.admission, reserved_at=reserved)
        self._queues[decision.head.cluster_queue].discard(workload.key)
        self._snapshot.add(workload)
        self._running[workload.key] = workload
        if self._history is not None:
            self._history.admitted(workload)
        self._admitted_at[workload.key] = at
        self._expect(at + self._arrivals[workload.key].runtime, workload)
        self._happened(at, What.ADMITTED, workload)
        self.report.admissions += 1

    def _release(self, workload: Workload, at: float) -> None:
        del self._running[workload.key]
        self._snapshot.remove(workload)
        queue = self._snapshot.queues[held(workload).cluster_queue]
        queue.freed += 1
        self._changed.add(queue.root)
        if self._flush_at is None:
            self._flush_at = at + self._flush_after
        held_for = max(0.0, at - self._admitted_at[workload.key])
        for (_, resource), amount in held(workload).usage.items():
            self.report.busy[resource] = self.report.busy.get(resource, 0.0) + amount * held_for

    def _write(self) -> float:
        """When a write that is asked for now is done."""
        self.report.writes += 1
        if self._limit is None:
            return self._now
        self._written_until = max(self._written_until, self._now - BURST) + 1 / self._limit
        return max(self._now, self._written_until)

    def _expect(self, at: float, workload: Workload) -> None:
        heapq.heappush(self._coming, (at, next(self._number), workload))

    def _happened(self, at: float, what: What, workload: Workload) -> None:
        self.report.history.append(Happening(at, what, workload.key))
