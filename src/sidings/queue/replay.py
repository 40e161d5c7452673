"""Recorded decisions of the real scheduler, decided again: ``sidings queue replay``.

A case is objects (v1beta2, defaults filled), a number of cycles and what came of them: the state of every workload, who
held quota after each cycle, events, and why queues were inactive. Between cycles evictions complete, victims go back to
their queues, and everybody set aside in their trees is looked at again.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sidings.api import conditions, timestamps
from sidings.api.kueue import topology_assignment
from sidings.api.objects import Object, name_of
from sidings.queue import amounts, cycle, eligibility, preemption, reasons, snapshot, workloads
from sidings.queue.admission_fair_sharing import Rules
from sidings.queue.cycle import Decision, Eviction, Head, Outcome
from sidings.queue.pending import PendingQueue
from sidings.queue.usage_history import UsageHistory
from sidings.queue.waiting import Waiting
from sidings.queue.workloads import Admission, Workload

Case = Mapping[str, Any]


_NEEDED = {"name": str, "objects": list, "cycles": int, "expect": dict}


def load(path: Path) -> list[Case]:
    """The cases of a file, gzipped or not. Raises ``ValueError`` where they are none, ``OSError`` for the rest."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    cases = json.loads(data)
    if not isinstance(cases, list):
        raise ValueError("the file is no list")
    for index, case in enumerate(cases):
        for name, type_ in _NEEDED.items():
            if not isinstance(case, dict) or not isinstance(case.get(name), type_):
                raise ValueError(f"[{index}].{name} is missing or no {type_.__name__}")
    return cases


def differences(case: Case) -> Iterator[str]:
    """``path: expected X, got Y`` for everything that comes out differently."""
    yield from _compare("", case["expect"], play(case))


def play(case: Case) -> dict[str, Any]:
    """What comes of a case, in the form of its ``expect``."""
    world = _World(case)
    for number in range(1, case["cycles"] + 1):
        if number > 1:
            world.settle()
            if not world.waiting:
                break
        world.turn(number)
    return world.result()


@dataclass
class _Record:
    """What is known of a workload beside the scheduler's view."""

    workload: Workload
    reason: str = ""
    message: str = ""
    preempted: tuple[str, str] | None = None
    eviction: str = ""
    """The message of its Evicted condition."""
    leaving: bool = False


class _World:
    """Queues, holders and conditions between cycles."""

    def __init__(self, case: Case) -> None:
        objects: list[Object] = case["objects"]
        self._now = timestamps.from_text(case["now"])
        strategies = tuple(case.get("strategies") or ()) or preemption.Config.strategies
        self._config = preemption.Config(bool(case.get("fairSharing")), strategies)
        self._snapshot = snapshot.build(objects)
        # A case has no place for weights and half-lives: what LocalQueues' statuses say counts as it stands.
        local_queues = [obj for obj in objects if obj["kind"] == "LocalQueue"]
        self._history = UsageHistory(local_queues, Rules(), self._now)
        self._history.order(self._snapshot)
        self._queues = {queue.name: PendingQueue.of(queue) for queue in self._snapshot.queues.values()}
        self._local = {
            (obj["metadata"]["namespace"], name_of(obj)): obj["spec"]["clusterQueue"]
            for obj in local_queues
            if not eligibility.holds(obj)
        }
        self._records: dict[str, _Record] = {}
        self._trace: list[dict[str, list[str]]] = []
        self._events: set[str] = set()
        for obj in objects:
            if obj["kind"] == "Workload":
                self._enter(obj)

    def _enter(self, obj: Object) -> None:
        workload = workloads.of_object(obj)
        evicted = conditions.find((obj.get("status") or {}).get("conditions"), "Evicted") or {}
        self._records[workload.key] = _Record(workload, eviction=evicted.get("message", ""))
        if workload.admission is not None:
            self._snapshot.add(workload)
        elif eligibility.may_wait(obj, self._now):
            self._push(workload)

    def _push(self, workload: Workload) -> None:
        queue = self._queue_of(workload)
        if queue is not None:
            queue.push(workload)

    def _queue_of(self, workload: Workload) -> PendingQueue | None:
        """None where its LocalQueue or ClusterQueue is missing or stopped."""
        return self._queues.get(self._local.get((workload.namespace, workload.local_queue), ""))

    def _admits(self, name: str, workload: Workload) -> bool:
        labels = self._snapshot.namespaces.get(workload.namespace)
        return self._snapshot.queues[name].admits_namespace(labels)

    @property
    def waiting(self) -> bool:
        return any(queue.active for queue in self._queues.values())

    def turn(self, number: int) -> None:
        """One cycle, carried out."""
        heads = [
            Head(waiting, queue.name)
            for queue in self._queues.values()
            if self._snapshot.queues[queue.name].inactive is None
            if (waiting := queue.pop()) is not None
        ]
        before = {key for key, record in self._records.items() if record.leaving}
        for decision in cycle.run(self._snapshot, heads, self._config, number):
            self._carry_out(decision)
        entry: dict[str, list[str]] = {}
        evicted = sorted(r.workload.name for key, r in self._records.items() if r.leaving and key not in before)
        holding = sorted(r.workload.name for r in self._records.values() if r.workload.admission and not r.leaving)
        if holding:
            entry["reserved"] = holding
        if evicted:
            entry["preempted"] = evicted
        self._trace.append(entry)

    def settle(self) -> None:
        """Completes evictions and brings back whom they may help."""
        for record in self._records.values():
            admission = record.workload.admission
            if admission is None or not record.workload.evicted:
                continue
            self._snapshot.remove(record.workload)
            queue = self._snapshot.queues[admission.cluster_queue]
            queue.freed += 1
            record.workload = replace(record.workload, admission=None, reserved_at=None, evicted=False)
            record.leaving = False
            record.reason, record.message = reasons.PENDING_EVALUATION, record.eviction
            tree = queue.parent.root.all_queues() if queue.parent else [queue]
            for other in tree:
                self._queues[other.name].flush(partial(self._admits, other.name))
            self._push(record.workload)

    def _carry_out(self, decision: Decision) -> None:
        head = decision.head.waiting
        record = self._records[head.workload.key]
        if decision.outcome is Outcome.ADMIT and decision.admission is not None:
            self._admit(record, decision, decision.admission)
            return
        if decision.outcome is Outcome.PREEMPT:
            for eviction in decision.evictions:
                self._evict(record.workload, eviction)
        record.reason, record.message = decision.reason, decision.message
        self._event(record.workload, "Warning", decision.reason, decision.message)
        waiting = Waiting(head.workload, head.shape, decision.progress)
        self._queues[decision.head.cluster_queue].requeue(waiting, decision.requeue)

    def _admit(self, record: _Record, decision: Decision, admission: Admission) -> None:
        queue = decision.head.cluster_queue
        waited = int((self._now - record.workload.queued_at).total_seconds())
        record.workload = replace(record.workload, admission=admission, reserved_at=self._now, evicted=False)
        self._queues[queue].discard(record.workload.key)
        self._snapshot.add(record.workload)
        self._history.admitted(record.workload)
        tail = f"; Flavors considered: {decision.considered}" if decision.considered else ""
        reserved = f"Quota reserved in ClusterQueue {queue}, wait time since queued was {waited}s{tail}"
        self._event(record.workload, "Normal", "QuotaReserved", reserved)
        if self._snapshot.queues[queue].checks_of(admission):
            return
        admitted = f"Admitted by ClusterQueue {queue}, wait time since reservation was 0s"
        self._event(record.workload, "Normal", "Admitted", admitted)

    def _evict(self, preemptor: Workload, eviction: Eviction) -> None:
        record = self._records[eviction.workload.key]
        victim = record.workload
        tail = reasons.priorities(preemptor.priority, victim.priority)
        queue = workloads.held(victim).cluster_queue
        self._event(victim, "Normal", "EvictedDueToPreempted", eviction.message)
        self._event(victim, "Normal", "Preempted", eviction.message + tail)
        told = f"Preempted workload {victim.key} (UID: {victim.uid}) in ClusterQueue {queue}{tail}"
        self._event(preemptor, "Normal", "PreemptedWorkload", told)
        self._snapshot.remove(victim)
        record.workload = replace(victim, evicted=True)
        self._snapshot.add(record.workload)
        record.preempted, record.eviction, record.leaving = (eviction.reason, eviction.message), eviction.message, True

    def _event(self, workload: Workload, type_: str, reason: str, message: str) -> None:
        self._events.add(f"{workload.name} {type_} {reason}: {message}")

    def result(self) -> dict[str, Any]:
        inactive = {
            queue.name: ": ".join(queue.inactive)
            for queue in self._snapshot.queues.values()
            if queue.inactive is not None
        }
        return {
            "workloads": {record.workload.name: self._state(record) for record in self._records.values()},
            "trace": self._trace,
            "events": sorted(self._events),
            **({"inactiveClusterQueues": inactive} if inactive else {}),
        }

    def _state(self, record: _Record) -> dict[str, Any]:
        state: dict[str, Any] = {}
        admission = record.workload.admission
        if admission is not None:
            checks = self._snapshot.queues[admission.cluster_queue].checks_of(admission)
            state["status"] = "preempted" if record.leaving else "reserved" if checks else "admitted"
            state["podSetAssignments"] = [_assignment(pod_set) for pod_set in admission.pod_sets]
        else:
            state["status"] = "pending" if record.reason else "new"
            if record.reason:
                state["reason"], state["message"] = record.reason, record.message
            queue = self._queue_of(record.workload)
            if queue is not None and queue.is_active(record.workload.key):
                state["queue"] = "heap"
            elif queue is not None and queue.is_set_aside(record.workload.key):
                state["queue"] = "inadmissible"
        if record.preempted is not None and (admission is None or record.leaving):
            state["preemptedReason"], state["preemptedMessage"] = record.preempted
        return state


def _assignment(pod_set: workloads.PodSetAdmission) -> dict[str, Any]:
    result: dict[str, Any] = {"name": pod_set.name, "count": pod_set.count}
    if pod_set.flavors:
        result["flavors"] = dict(pod_set.flavors)
    if pod_set.usage:
        result["usage"] = {name: amounts.text(name, amount) for name, amount in pod_set.usage.items()}
    if pod_set.placement is not None:
        result["topology"] = topology_assignment.encode(pod_set.placement)
    return result


def _compare(path: str, expected: Any, got: Any) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(expected.keys() | got.keys()):
            yield from _compare(f"{path}.{key}" if path else key, expected.get(key), got.get(key))
    elif path == "events":
        yield from (f"{path}: expected {event!r}" for event in expected if event not in got)
        yield from (f"{path}: got {event!r}" for event in got if event not in expected)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for index, (one, other) in enumerate(zip(expected, got, strict=True)):
            yield from _compare(f"{path}[{index}]", one, other)
    elif expected != got:
        yield f"{path}: expected {json.dumps(expected)}, got {json.dumps(got)}"
