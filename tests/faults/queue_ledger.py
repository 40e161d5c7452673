"""The ledger of a storm of queues: who holds and waits for what, and what quotas there were lately.

Controllers see quotas some time after users change them, so the ledger remembers each for the last ``LAG`` seconds.
The rules are in ``queue_rules.py`` and ``queue_rest.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import ClassVar, NamedTuple

from sidings.api import conditions, objects, quantity
from sidings.api.objects import Object
from sidings.api.resources import (
    CLUSTER_QUEUES,
    COHORTS,
    JOB_SETS,
    JOBS,
    LOCAL_QUEUES,
    PODS,
    PYTORCH_JOBS,
    TRAIN_JOBS,
    WORKLOADS,
    Resource,
)
from sidings.clock import Clock
from sidings.queue import workloads
from tests.faults.ledger import Change, Ledger, owner_uid

LAG = 60.0
JOB_KINDS = (TRAIN_JOBS, JOB_SETS, PYTORCH_JOBS, JOBS)


class Limit(NamedTuple):
    since: float
    amount: Decimal


@dataclass
class QueueLedger(Ledger):
    """Queues here have one resource in one flavor, and cohorts no parents: capacity is a sum."""

    followed: ClassVar[tuple[Resource, ...]] = (CLUSTER_QUEUES, COHORTS, LOCAL_QUEUES, WORKLOADS, *JOB_KINDS, PODS)

    clock: Clock = field(kw_only=True)
    nominal: dict[str, list[Limit]] = field(default_factory=dict)
    """Quotas that a ClusterQueue or Cohort has had, by uid; the last one counts."""
    admitted_until: dict[str, float] = field(default_factory=dict)
    """When a job was last seen admitted, by its uid; the future while it is."""
    settled: dict[str, float] = field(default_factory=dict)
    """Since when a Workload waits as it is, by uid; a queue that stops or starts is news to its Workloads."""
    evictions: int = 0
    admissions: int = 0

    def _apply(self, change: Change) -> None:
        super()._apply(change)
        now = self.clock.monotonic()
        if change.kind in (CLUSTER_QUEUES.kind, COHORTS.kind) and change.new is not None:
            history = self.nominal.setdefault(objects.uid_of(change.new), [])
            if not history or history[-1].amount != _nominal(change.new):
                history.append(Limit(now, _nominal(change.new)))
        if change.kind in (CLUSTER_QUEUES.kind, LOCAL_QUEUES.kind) and _stop(change.old) != _stop(change.new):
            for uid in self.present[WORKLOADS.kind]:
                self.settled[uid] = now
        if change.kind == WORKLOADS.kind:
            self._note_workload(change, now)

    def _note_workload(self, change: Change, now: float) -> None:
        uid = objects.uid_of(change.obj)
        if change.new is None:
            self.settled.pop(uid, None)
        elif change.old is None or _standing(change.old) != _standing(change.new):
            self.settled[uid] = now
        job, admitted = owner_uid(change.obj), is_admitted(change.new)
        if admitted:
            self.admitted_until[job] = float("inf")
            self.admissions += not is_admitted(change.old)
        elif is_admitted(change.old):
            self.admitted_until[job] = now
        self.evictions += is_evicted(change.new) and not is_evicted(change.old)

    def named(self, resource: Resource, name: str) -> Object | None:
        return next((obj for obj in self.present[resource.kind].values() if objects.name_of(obj) == name), None)

    def cluster_queue_of(self, workload: Object) -> Object | None:
        """Where a Workload waits, or holds quota."""
        admission = (workload.get("status") or {}).get("admission")
        if admission:
            return self.named(CLUSTER_QUEUES, admission["clusterQueue"])
        local = self.named(LOCAL_QUEUES, workload["spec"].get("queueName") or "")
        return self.named(CLUSTER_QUEUES, local["spec"]["clusterQueue"]) if local else None

    def members(self, cohort: str) -> list[Object]:
        queues = self.present[CLUSTER_QUEUES.kind].values()
        return [queue for queue in queues if queue["spec"].get("cohortName") == cohort]

    def used(self, queue: Object) -> Decimal:
        """What Workloads hold of a ClusterQueue."""
        name = objects.name_of(queue)
        return sum(
            (held(workload) for workload in self.present[WORKLOADS.kind].values() if holder_of(workload) == name),
            Decimal(0),
        )

    def most(self, obj: Object) -> Decimal:
        """The largest nominal quota that a queue or cohort has had lately."""
        history = self.nominal[objects.uid_of(obj)]
        recent = [later.since for later in history[1:]] + [float("inf")]
        since = self.clock.monotonic() - LAG
        return max(limit.amount for limit, end in zip(history, recent, strict=True) if end >= since)

    def free(self, queue: Object, *, generous: bool) -> Decimal:
        """What a ClusterQueue may still take, borrowing all that its cohort has; negative where too much is used.

        ``generous``: by the largest quotas of late, else by those of now.
        """

        def quota(obj: Object) -> Decimal:
            return self.most(obj) if generous else _nominal(obj)

        cohort = self.named(COHORTS, queue["spec"]["cohortName"])
        assert cohort is not None, "the cohorts of a storm exist"
        members = self.members(objects.name_of(cohort))
        of_tree = quota(cohort) + sum(quota(member) - self.used(member) for member in members)
        limit = _borrowing_limit(queue)
        return of_tree if limit is None else min(of_tree, quota(queue) + limit - self.used(queue))

    def root_of(self, obj: Object) -> Object:
        """The outermost job above a pod."""
        while (owner := owner_uid(obj)) and (above := self._by_uid(owner)) is not None:
            obj = above
        return obj

    def _by_uid(self, uid: str) -> Object | None:
        return next((self.present[r.kind][uid] for r in JOB_KINDS if uid in self.present[r.kind]), None)


def _nominal(obj: Object) -> Decimal:
    return quantity.parse(_quota(obj)["nominalQuota"])


def _borrowing_limit(obj: Object) -> Decimal | None:
    limit = _quota(obj).get("borrowingLimit")
    return None if limit is None else quantity.parse(limit)


def _quota(obj: Object) -> Object:
    found: Object = obj["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]
    return found


def _stop(obj: Object | None) -> str:
    return str(((obj or {}).get("spec") or {}).get("stopPolicy") or "None")


def holder_of(workload: Object | None) -> str:
    """The ClusterQueue whose quota a Workload holds; empty if none."""
    if workload is None or conditions.is_true(workload, "Finished"):
        return ""
    if not conditions.is_true(workload, "QuotaReserved"):
        return ""
    return str(((workload.get("status") or {}).get("admission") or {}).get("clusterQueue") or "")


def held(workload: Object | None) -> Decimal:
    """The cpu that a Workload holds; pods that are done hold none."""
    if workload is None or not holder_of(workload):
        return Decimal(0)
    done = {entry["name"]: entry["count"] for entry in workload["status"].get("reclaimablePods") or ()}
    left = {entry["name"]: entry["count"] - done.get(entry["name"], 0) for entry in workload["spec"]["podSets"]}
    total = Decimal(0)
    for entry in workload["status"]["admission"]["podSetAssignments"]:
        if entry["count"]:
            of_one = quantity.parse(entry["resourceUsage"]["cpu"]) / entry["count"]
            total += of_one * min(entry["count"], left[entry["name"]])
    return total


def asked(workload: Object) -> Decimal:
    """The cpu that a waiting Workload would hold."""
    return sum(
        (
            Decimal(amount * pod_set.count) / Decimal(1000)
            for pod_set in workloads.of_object(workload).pod_sets
            for name, amount in pod_set.requests.items()
            if name == "cpu"
        ),
        Decimal(0),
    )


def is_admitted(workload: Object | None) -> bool:
    return workload is not None and conditions.is_true(workload, "Admitted")


def is_evicted(workload: Object | None) -> bool:
    return workload is not None and conditions.is_true(workload, "Evicted")


def waits(ledger: QueueLedger, workload: Object) -> bool:
    """Whether a Workload is in a queue that admits."""
    status = workload.get("status") or {}
    requeued = conditions.find(status.get("conditions"), "Requeued") or {}
    local = ledger.named(LOCAL_QUEUES, workload["spec"].get("queueName") or "")
    cluster = ledger.cluster_queue_of(workload)
    return not (
        conditions.is_true(workload, "QuotaReserved")
        or conditions.is_true(workload, "Finished")
        or objects.is_deleting(workload)
        or workload["spec"].get("active") is False
        or requeued.get("status") == "False"
        or (status.get("requeueState") or {}).get("requeueAt")
        or local is None
        or cluster is None
        or _stop(local) != "None"
        or _stop(cluster) != "None"
    )


def place(workload: Object) -> tuple[int, datetime, str]:
    """Its place in the queue: priority, then age."""
    return -(workload["spec"].get("priority") or 0), workloads.queue_time(workload), objects.uid_of(workload)


def _standing(workload: Object) -> tuple[object, ...]:
    status = workload.get("status") or {}
    return (
        workload["spec"].get("active"),
        workload["spec"].get("priority"),
        workload["spec"].get("queueName"),
        conditions.is_true(workload, "QuotaReserved"),
        (conditions.find(status.get("conditions"), "Requeued") or {}).get("status"),
        objects.is_deleting(workload),
    )
