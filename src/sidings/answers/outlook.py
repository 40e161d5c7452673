"""When a workload would be admitted: now, by preemption, after others have ended, or never.

The scheduler's own ``cycle`` decides, on a snapshot made for the question. Nobody knows when running jobs end, so time
is counted in ends: the holder that was admitted first ends first, whoever waits ahead is admitted before, and the
answer names those that must end. A workload that is refused even when nobody holds anything never is admitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sidings.answers.line import Line
from sidings.queue import cycle, equivalence
from sidings.queue.cycle import Decision, Head, Outcome
from sidings.queue.pending import PendingQueue
from sidings.queue.preemption import Config
from sidings.queue.snapshot import ClusterQueue, Snapshot
from sidings.queue.waiting import Waiting
from sidings.queue.workloads import Workload, held

MOST_WAITING, MOST_CYCLES = 100, 500
"""What a look ahead may cost (about 0.2 s); with more before it, or for longer, the answer is ``UNKNOWN``."""


class When(StrEnum):
    NOW = "now"
    BY_PREEMPTION = "by preemption"
    LATER = "later"
    NEVER = "never"
    UNKNOWN = "unknown"
    """Others come and go ahead of it for longer than is looked ahead."""


@dataclass(frozen=True)
class Outlook:
    """``decision`` is today's; ``first`` are those that have to end before, ``ahead`` who waits before it.

    Of one that is never admitted nobody asks who is ahead.
    """

    when: When
    decision: Decision
    first: Sequence[Workload] = ()
    ahead: Sequence[Workload] = ()


def of(
    snapshot: Snapshot,
    workload: Workload,
    cluster_queue: str,
    waiting: Mapping[str, Sequence[Workload]],
    config: Config,
) -> Outlook:
    """``waiting`` are those without quota by ClusterQueue, ``snapshot`` holds the others; it comes back as it was."""
    decision = _decide(snapshot, workload, cluster_queue, config)
    queue = snapshot.queues[cluster_queue]
    tree = _tree(queue)
    holders = sorted((w for q in tree for w in q.workloads.values()), key=_admitted)
    with snapshot.without(holders):
        possible = _decide(snapshot, workload, cluster_queue, config).outcome is Outcome.ADMIT
    if not possible:
        return Outlook(When.NEVER, decision)
    lines = {q.name: waiting.get(q.name, ()) for q in tree}
    ahead = Line.of(lines.pop(cluster_queue)).ahead_of(workload, queue)
    if decision.outcome is Outcome.PREEMPT:
        return Outlook(When.BY_PREEMPTION, decision, [e.workload for e in decision.evictions], ahead)
    if decision.outcome is Outcome.ADMIT and not ahead:
        return Outlook(When.NOW, decision)
    if sum(len(line) for line in lines.values()) + len(ahead) >= MOST_WAITING:
        return Outlook(When.UNKNOWN, decision, ahead=ahead)
    queued = {**lines, cluster_queue: [*ahead, workload]}
    when, first = _Ahead(snapshot, tree, queued, holders, config).play(workload)
    return Outlook(when, decision, first, ahead)


def _decide(snapshot: Snapshot, workload: Workload, cluster_queue: str, config: Config) -> Decision:
    head = Head(Waiting(workload, equivalence.shape(workload)), cluster_queue)
    [decision] = cycle.run(snapshot, [head], config, 1)
    return decision


def _tree(queue: ClusterQueue) -> list[ClusterQueue]:
    """Every queue that can take or lend the same quota."""
    return list(queue.parent.root.all_queues()) if queue.parent is not None else [queue]


def _admitted(workload: Workload) -> tuple[bool, float, str]:
    """Sort key: first admitted first; who was never told when comes last."""
    at = workload.reserved_at
    return at is None, at.timestamp() if at else 0.0, workload.uid


class _Ahead:
    """The coming cycles of one tree of queues, an end at a time."""

    def __init__(
        self,
        snapshot: Snapshot,
        tree: Sequence[ClusterQueue],
        queued: Mapping[str, Sequence[Workload]],
        holders: Sequence[Workload],
        config: Config,
    ) -> None:
        self._snapshot = snapshot
        self._config = config
        self._queues = {q.name: PendingQueue.of(q) for q in tree if q.inactive is None}
        for name, pending in self._queues.items():
            for workload in queued[name]:
                pending.push(workload)
        self._before = list(holders)
        self._running = list(holders)
        """In the order in which they end."""
        self._ended: list[Workload] = []
        self._number = 0

    def play(self, wanted: Workload) -> tuple[When, list[Workload]]:
        """When ``wanted`` is admitted, and who has ended by then."""
        try:
            while self._number < MOST_CYCLES:
                if self._settle(wanted):
                    return (When.LATER if self._ended else When.NOW), self._ended
                if not self._running:
                    return When.UNKNOWN, []
                self._ended.append(self._running.pop(0))
                self._release(self._ended[-1])
            return When.UNKNOWN, []
        finally:
            for workload in self._running:
                self._snapshot.remove(workload)
            for workload in self._before:
                self._snapshot.add(workload)

    def _settle(self, wanted: Workload) -> bool:
        """Cycles until nobody makes progress; whether ``wanted`` was admitted."""
        stuck: set[str] = set()
        while self._number < MOST_CYCLES:
            self._number += 1
            heads = [Head(waiting, q.name) for q in self._queues.values() if (waiting := q.pop()) is not None]
            keys = {head.waiting.workload.key for head in heads}
            decisions = cycle.run(self._snapshot, heads, self._config, self._number)
            for decision in decisions:
                self._carry_out(decision)
            if any(workload.key == wanted.key for workload in self._running):
                return True
            if keys == stuck and all(decision.outcome is Outcome.WAIT for decision in decisions):
                return False
            stuck = keys
        return False

    def _carry_out(self, decision: Decision) -> None:
        waiting, queue = decision.head.waiting, self._queues[decision.head.cluster_queue]
        if decision.outcome is Outcome.ADMIT:
            workload = replace(waiting.workload, admission=decision.admission)
            queue.discard(workload.key)
            self._snapshot.add(workload)
            self._running.append(workload)
            return
        for eviction in decision.evictions:
            victim = next((w for w in self._running if w.key == eviction.workload.key), None)
            if victim is not None:
                self._running.remove(victim)
                self._release(victim)
                self._queues[held(victim).cluster_queue].push(replace(victim, admission=None, reserved_at=None))
        queue.requeue(Waiting(waiting.workload, waiting.shape, decision.progress), decision.requeue)

    def _release(self, workload: Workload) -> None:
        self._snapshot.remove(workload)
        self._snapshot.queues[held(workload).cluster_queue].freed += 1
        for queue in self._queues.values():
            queue.flush(lambda waiting: True)
