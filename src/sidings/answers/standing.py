"""The queues as objects tell them: a snapshot with everybody who holds quota, and who waits for which ClusterQueue.

It is what the scheduler keeps up to date from watch events, made at once from lists.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sidings.answers.line import Line
from sidings.answers.surroundings import Surroundings
from sidings.api import conditions
from sidings.api.objects import Object, namespace_of
from sidings.queue import eligibility, snapshot, workloads
from sidings.queue.admission_fair_sharing import Rules
from sidings.queue.snapshot import Snapshot
from sidings.queue.usage_history import UsageHistory

KINDS = (
    "ResourceFlavor",
    "ClusterQueue",
    "Cohort",
    "Topology",
    "AdmissionCheck",
    "Node",
    "Namespace",
    "LimitRange",
)
"""What a snapshot is built of."""


@dataclass
class Standing:
    """``waiting``: by ClusterQueue."""

    snapshot: Snapshot
    waiting: dict[str, Line] = field(default_factory=dict)


def of(around: Surroundings) -> Standing:
    """Workloads that are finished, deactivated or put off are in neither place."""
    standing = Standing(snapshot.build(obj for kind in KINDS for obj in around.of_kind(kind)))
    sharing = around.configuration.admission_fair_sharing
    if sharing.enabled:
        UsageHistory(around.of_kind("LocalQueue"), Rules.of(sharing), around.now).order(standing.snapshot)
    local = {
        (namespace_of(queue), queue["metadata"]["name"]): str(queue["spec"].get("clusterQueue") or "")
        for queue in around.of_kind("LocalQueue")
        if not eligibility.holds(queue)
    }
    for obj in around.of_kind("Workload"):
        if has_quota(obj):
            holder = workloads.of_object(obj)
            if holder.admission is not None and holder.admission.cluster_queue in standing.snapshot.queues:
                standing.snapshot.add(holder)
        elif eligibility.may_wait(obj, around.now):
            queue = local.get((namespace_of(obj), str(obj["spec"].get("queueName") or "")), "")
            if queue in standing.snapshot.queues:
                standing.waiting.setdefault(queue, Line()).append(obj)
    return standing


def has_quota(workload: Object) -> bool:
    """Whether it counts against a quota."""
    return (
        conditions.is_true(workload, "QuotaReserved")
        and not conditions.is_true(workload, "Finished")
        and bool((workload.get("status") or {}).get("admission"))
    )
