"""What queues must keep at every single change of a Workload, a job or a pod.

Controllers see quotas some time after users change them, and a pod may be on its way while its job is stopped: where a
rule meets such a race it judges by what was true at any moment of the last ``LAG`` seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from sidings.api import conditions, objects
from sidings.api.kueue import keys
from sidings.api.objects import Object
from sidings.api.resources import PODS, WORKLOADS
from tests.faults.ledger import Change, Ledger, Rule, owner_uid
from tests.faults.queue_ledger import LAG, QueueLedger, held, holder_of, is_admitted, place, waits


def _reserves(ledger: Ledger, change: Change) -> bool:
    return change.kind == WORKLOADS.kind and bool(holder_of(change.new)) and not holder_of(change.old)


def quota_is_never_exceeded(ledger: Ledger, change: Change) -> Iterator[str]:
    assert isinstance(ledger, QueueLedger)
    more = held(change.new) - held(change.old) if change.kind == WORKLOADS.kind else Decimal(0)
    if more <= 0 or change.new is None:
        return
    queue = ledger.cluster_queue_of(change.new)
    if queue is None:
        yield "admitted by a queue that is not there"
    elif (left := ledger.free(queue, generous=True)) < more:
        yield f"takes {more} of {objects.name_of(queue)}, where {left} are left"


def nothing_is_admitted_twice(ledger: Ledger, change: Change) -> Iterator[str]:
    if change.kind != WORKLOADS.kind or change.new is None:
        return
    old, new = change.old, change.new
    if (
        old is not None
        and holder_of(old)
        and holder_of(new)
        and old["status"]["admission"] != new["status"]["admission"]
    ):
        yield "another admission without giving back the first"
    if _reserves(ledger, change):
        for other in ledger.present[WORKLOADS.kind].values():
            same = owner_uid(other) and owner_uid(other) == owner_uid(new)
            if same and objects.uid_of(other) != objects.uid_of(new) and holder_of(other):
                yield f"its job holds quota by {objects.name_of(other)} already"


def nobody_is_admitted_who_must_not_be(ledger: Ledger, change: Change) -> Iterator[str]:
    if _reserves(ledger, change) and change.old is not None:
        if change.old["spec"].get("active") is False:
            yield "admitted although deactivated"
        if conditions.is_true(change.old, "Finished"):
            yield "admitted although finished"


def the_head_of_a_strict_queue_is_not_passed(ledger: Ledger, change: Change) -> Iterator[str]:
    assert isinstance(ledger, QueueLedger)
    if not _reserves(ledger, change) or change.new is None or change.old is None:
        return
    queue = ledger.cluster_queue_of(change.new)
    if queue is None or queue["spec"].get("queueingStrategy") != "StrictFIFO":
        return
    long_ago = ledger.clock.monotonic() - LAG
    for uid, other in ledger.present[WORKLOADS.kind].items():
        same = uid != objects.uid_of(change.new) and ledger.cluster_queue_of(other) is queue
        if same and waits(ledger, other) and ledger.settled[uid] < long_ago and place(other) < place(change.old):
            yield f"passes {objects.name_of(other)}, which came before it"


def no_pod_before_all_of_its_job_is_admitted(ledger: Ledger, change: Change) -> Iterator[str]:
    assert isinstance(ledger, QueueLedger)
    if change.kind != PODS.kind or change.new is None:
        return
    root = ledger.root_of(change.new)
    if root is change.new:
        if change.old is not None and _is_gated(change.old) and not _is_gated(change.new):
            group = objects.labels_of(root).get(keys.POD_GROUP) or ""
            if not is_admitted(ledger.named(WORKLOADS, group)):
                yield "let go before its group is admitted"
        return
    if change.old is None and objects.labels_of(root).get(keys.QUEUE_NAME):
        until = ledger.admitted_until.get(objects.uid_of(root), float("-inf"))
        if until < ledger.clock.monotonic() - LAG:
            yield f"made while {objects.name_of(root)} is not admitted"


def _is_gated(pod: Object) -> bool:
    return any(gate["name"] == keys.ADMISSION_GATE for gate in pod["spec"].get("schedulingGates") or ())


RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        quota_is_never_exceeded,
        nothing_is_admitted_twice,
        nobody_is_admitted_who_must_not_be,
        the_head_of_a_strict_queue_is_not_passed,
        no_pod_before_all_of_its_job_is_admitted,
    )
}
