"""Rules of queues that hold once things have come to rest."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import conditions, objects
from sidings.api.kueue import keys
from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_QUEUES, PODS, WORKLOADS
from sidings.queue import reasons
from tests.faults.ledger import ENDED, Ledger, owner_uid, phase
from tests.faults.queue_ledger import JOB_KINDS, QueueLedger, asked, holder_of, is_evicted, place, waits

ENDS = ("Complete", "Completed", "Succeeded", "Failed")


def is_over(job: Object) -> bool:
    return any(conditions.is_true(job, type_) for type_ in ENDS)


def queued_jobs(ledger: Ledger) -> Iterator[Object]:
    """What users gave to a queue, of any kind; not pods."""
    for resource in JOB_KINDS:
        for job in ledger.present[resource.kind].values():
            if not owner_uid(job) and objects.labels_of(job).get(keys.QUEUE_NAME):
                yield job


def each_unfinished_job_has_one_workload(ledger: Ledger) -> Iterator[str]:
    owners = [owner_uid(workload) for workload in ledger.present[WORKLOADS.kind].values()]
    for job in queued_jobs(ledger):
        count = owners.count(objects.uid_of(job))
        if not is_over(job) and not objects.is_deleting(job) and count != 1:
            yield f"{objects.name_of(job)} has {count} Workloads"


def what_waits_has_no_pods(ledger: Ledger) -> Iterator[str]:
    assert isinstance(ledger, QueueLedger)
    admitted = {owner_uid(workload) for workload in ledger.present[WORKLOADS.kind].values() if holder_of(workload)}
    for pod in ledger.present[PODS.kind].values():
        root = ledger.root_of(pod)
        of_job = root is not pod and not is_over(root) and objects.labels_of(root).get(keys.QUEUE_NAME)
        living = phase(pod) not in ENDED and not objects.is_deleting(pod)
        if of_job and living and objects.uid_of(root) not in admitted:
            yield f"{objects.name_of(root)} waits and has pod {objects.name_of(pod)}"


def evictions_are_over(ledger: Ledger) -> Iterator[str]:
    """Nobody who was asked to go keeps its quota."""
    for workload in ledger.present[WORKLOADS.kind].values():
        if is_evicted(workload) and holder_of(workload) and owner_uid(workload) in _jobs(ledger):
            yield f"{objects.name_of(workload)} was evicted and still holds quota"


def nobody_waits_beside_free_quota(ledger: Ledger) -> Iterator[str]:
    assert isinstance(ledger, QueueLedger)
    for queue in ledger.present[CLUSTER_QUEUES.kind].values():
        waiting = [
            workload
            for workload in ledger.present[WORKLOADS.kind].values()
            if ledger.cluster_queue_of(workload) is queue and waits(ledger, workload)
        ]
        if any(_waits_for_victims(ledger, queue, workload) for workload in waiting):
            continue  # what its victims still hold is its own, and it comes before the others of its queue
        if queue["spec"].get("queueingStrategy") == "StrictFIFO":
            waiting = sorted(waiting, key=place)[:1]
        free = ledger.free(queue, generous=False)
        for workload in waiting:
            if asked(workload) <= free:
                condition = conditions.find((workload.get("status") or {}).get("conditions"), "QuotaReserved")
                yield f"{objects.name_of(workload)} asks for {asked(workload)} of {free} free: {condition}"


def _waits_for_victims(ledger: QueueLedger, queue: Object, workload: Object) -> bool:
    """Whether its preemption goes on: at rest nodes do nothing, so pods that were told to go may still be there."""
    condition = conditions.find((workload.get("status") or {}).get("conditions"), "QuotaReserved") or {}
    members = {objects.name_of(member) for member in ledger.members(queue["spec"]["cohortName"])}
    leaving = any(is_evicted(it) and holder_of(it) in members for it in ledger.present[WORKLOADS.kind].values())
    return leaving and condition.get("reason") == reasons.WAITING_FOR_PREEMPTED_WORKLOADS


def queues_count_right(ledger: Ledger) -> Iterator[str]:
    """``status`` of ClusterQueues says what Workloads say."""
    for queue in ledger.present[CLUSTER_QUEUES.kind].values():
        name, status = objects.name_of(queue), queue.get("status") or {}
        holders = [w for w in ledger.present[WORKLOADS.kind].values() if holder_of(w) == name]
        if status.get("reservingWorkloads") != len(holders):
            yield f"{name} counts {status.get('reservingWorkloads')} reservations of {len(holders)}"


def all_queued_jobs_have_ended(ledger: Ledger) -> Iterator[str]:
    for job in queued_jobs(ledger):
        if not is_over(job) and not objects.is_deleting(job):
            workload = next(
                (w for w in ledger.present[WORKLOADS.kind].values() if owner_uid(w) == objects.uid_of(job)), {}
            )
            yield f"{objects.name_of(job)} goes on: {workload.get('status')}"


def no_workload_is_left(ledger: Ledger) -> Iterator[str]:
    for kind in (WORKLOADS.kind, PODS.kind, *(resource.kind for resource in JOB_KINDS)):
        for obj in ledger.present[kind].values():
            yield f"{kind} {objects.name_of(obj)} is left, finalizers {obj['metadata'].get('finalizers')}"


def _jobs(ledger: Ledger) -> set[str]:
    return {objects.uid_of(job) for job in queued_jobs(ledger)}


RULES_OF_REST = (
    each_unfinished_job_has_one_workload,
    what_waits_has_no_pods,
    evictions_are_over,
    nobody_waits_beside_free_quota,
    queues_count_right,
)
