"""A decision of the cycle as writes: the status that a Workload gets, and the events that tell of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sidings.api.objects import Object, copy_of
from sidings.client.events import EventNote
from sidings.controllers.kueue import words, workload_status
from sidings.controllers.kueue.workload_plan import admit, referable
from sidings.queue import amounts, reasons, workloads
from sidings.queue.cycle import Decision, Eviction
from sidings.queue.workloads import Admission, Workload


def admission(obj: Object, decision: Decision, *, checks: bool, now: datetime) -> tuple[Object, list[EventNote]]:
    """``obj`` with the quota of ``decision``; admitted at once where there are no ``checks`` to wait for."""
    assert decision.admission is not None, "an admission has quota"
    workload = copy_of(obj)
    waited = round((now - decision.head.waiting.workload.queued_at).total_seconds())
    workload_status.reserve(workload, workloads.admission_object(decision.admission), now)
    queue = decision.admission.cluster_queue
    text = f"Quota reserved in ClusterQueue {queue}, wait time since queued was {waited}s"
    if decision.considered:
        text += f"; Flavors considered: {decision.considered}"
    notes = [_note(workload, "Normal", words.QUOTA_RESERVED, text)]
    if not checks:
        notes.append(admit(workload, now))
    return workload, notes


def refusal(obj: Object, decision: Decision, now: datetime) -> tuple[Object | None, list[EventNote]]:
    """``obj`` with the reason why it waits, None if it says so already; the event comes each time."""
    changed = _waiting(obj, decision.head.waiting.workload, decision.reason, decision.message, now)
    return changed, [_note(obj, "Warning", decision.reason, decision.message)]


def bypass(obj: Object, workload: Workload, now: datetime) -> Object | None:
    """``obj`` set aside with one of its shape that was refused, None if it says so already.

    There is no event: with a long line behind one that does not fit they would be as many.
    """
    return _waiting(obj, workload, reasons.PENDING_EVALUATION, reasons.BYPASSED, now)


def _waiting(obj: Object, view: Workload, reason: str, message: str, now: datetime) -> Object | None:
    workload = copy_of(obj)
    changed = workload_status.refuse(workload, reason, message, now)
    requests = resource_requests(view)
    if requests and workload["status"].get("resourceRequests") != requests:
        workload["status"]["resourceRequests"] = requests
        changed = True
    return workload if changed else None


def eviction(
    obj: Object, victim: Eviction, preemptor: Object, decision: Decision, now: datetime
) -> tuple[Object, list[EventNote]]:
    """A victim's Workload with what is to become of it, and the events on both sides."""
    workload = copy_of(obj)
    workload_status.evict(workload, words.EVICTED_BY_PREEMPTION, victim.message, now)
    workload_status.set_condition(workload, words.PREEMPTED, "True", victim.reason, victim.message, now)
    tail = reasons.priorities(decision.head.waiting.workload.priority, victim.workload.priority)
    queue = workloads.held(victim.workload).cluster_queue
    mine = f"Preempted workload {victim.workload.key} (UID: {victim.workload.uid}) in ClusterQueue {queue}{tail}"
    return workload, [
        _note(workload, "Normal", words.PREEMPTED, victim.message + tail),
        _note(workload, "Normal", f"EvictedDueTo{words.EVICTED_BY_PREEMPTION}", victim.message),
        _note(preemptor, "Normal", "PreemptedWorkload", mine),
    ]


def replacement(obj: Object, found: Admission) -> Object:
    """``obj`` with the places of ``found`` instead of those on nodes that have failed."""
    workload: Object = copy_of(obj)
    workload["status"]["admission"] = workloads.admission_object(found)
    del workload["status"]["unhealthyNodes"]
    return workload


def no_replacement(obj: Object, nodes: Sequence[str], now: datetime) -> tuple[Object, list[EventNote]]:
    """``obj`` evicted, since nothing is free for the pods of ``nodes``."""
    workload = copy_of(obj)
    message = reasons.no_replacement(nodes)
    workload_status.evict(workload, words.NODE_FAILURES, message, now)
    return workload, [_note(workload, "Normal", f"EvictedDueTo{words.NODE_FAILURES}", message)]


def resource_requests(workload: Workload) -> list[Object]:
    """``status.resourceRequests``: what each pod set asks for in all."""
    return [
        {
            "name": pod_set.name,
            "resources": {
                name: amounts.text(name, amount * pod_set.count) for name, amount in pod_set.requests.items()
            },
        }
        for pod_set in workload.pod_sets
    ]


def _note(workload: Object, type_: str, reason: str, message: str) -> EventNote:
    return EventNote(referable(workload), type_, reason, message, action=reason)
