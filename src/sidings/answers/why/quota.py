"""Does the queue have what the job asks for: ever, now, in a flavor that suits? With the numbers, and who holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sidings.answers import codes, demand, outlook
from sidings.answers.demand import Demand
from sidings.answers.explanations import finding
from sidings.answers.finding import Finding
from sidings.answers.outlook import Outlook, When
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import flavors
from sidings.api.objects import Object
from sidings.queue import amounts, reasons
from sidings.queue.preemption import Config
from sidings.queue.snapshot import STRICT_FIFO, ClusterQueue, Snapshot
from sidings.queue.workloads import Workload, held

MOST_HEADS = 10
"""Of those ahead, how many are asked whether they ever go."""
SHOWN = 3
"""Of a list of others, how many are named."""


def find(
    around: Surroundings,
    snapshot: Snapshot,
    workload: Workload,
    cluster_queue: str,
    waiting: Mapping[str, Sequence[Workload]],
    config: Config,
    job: Object | None = None,
) -> tuple[Outlook, list[Finding]]:
    """The outlook of a workload without quota, and what stands in its way.

    ``job`` is whose workload it is, where remedies may change that.
    """
    seen = outlook.of(snapshot, workload, cluster_queue, waiting, config)
    queue = snapshot.queues[cluster_queue]
    if seen.when is When.NOW:
        return seen, []
    if seen.when is When.NEVER:
        return seen, _never(around, snapshot, workload, queue, seen, job)
    if queue.strategy == STRICT_FIFO and (head := _hopeless_head(snapshot, seen, queue, config)) is not None:
        return replace(seen, when=When.NEVER), [_blocked(around, queue, head)]
    return seen, [_busy(around, snapshot, workload, queue, seen)]


def _hopeless_head(snapshot: Snapshot, seen: Outlook, queue: ClusterQueue, config: Config) -> Workload | None:
    """Of the first ahead one that even an empty cohort would not admit; nobody passes it in a StrictFIFO queue."""
    for other in seen.ahead[:MOST_HEADS]:
        if outlook.of(snapshot, other, queue.name, {}, config).when is When.NEVER:
            return other
    return None


def _blocked(around: Surroundings, queue: ClusterQueue, head: Workload) -> Finding:
    change = json.dumps({"spec": {"queueingStrategy": "BestEffortFIFO"}})
    return finding(
        codes.BLOCKED_BY_HEAD,
        f"ClusterQueue {queue.name}",
        f"Workload {head.key} is ahead and can never be admitted; nobody passes it in a {queue.strategy} queue",
        cause=f'queueingStrategy of ClusterQueue "{queue.name}" is {queue.strategy}',
        remedy=around.kubectl("patch", "clusterqueue", queue.name, "--type=merge", "-p", change),
    )


def _never(
    around: Surroundings,
    snapshot: Snapshot,
    workload: Workload,
    queue: ClusterQueue,
    seen: Outlook,
    job: Object | None,
) -> list[Finding]:
    where = f"ClusterQueue {queue.name}"
    missing = demand.not_covered(workload, queue)
    if missing:
        what = f'ClusterQueue "{queue.name}" has no quota for {", ".join(missing)}'
        covered = sorted({name for group in queue.groups for name in group.resources})
        cause = f"it covers {', '.join(covered) or 'nothing'}"
        remedy = _cover(around, snapshot, workload, queue, missing)
        return [finding(codes.NOT_COVERED, where, what, cause=cause, remedy=remedy)]
    short = [d for d in demand.of_workload(snapshot, workload, queue) if d.total > d.maximum]
    if short:
        return [_too_much(around, workload, queue, short)]
    code = {
        reasons.NO_MATCHING_FLAVOR: codes.NO_FLAVOR_MATCHES,
        reasons.TOPOLOGY_PLACEMENT_FAILED: codes.NO_PLACEMENT,
    }.get(seen.decision.reason, codes.QUEUE_SAYS)
    what = {
        codes.NO_FLAVOR_MATCHES: f'no flavor of ClusterQueue "{queue.name}" suits the pods',
        codes.NO_PLACEMENT: f'no place in the topology of ClusterQueue "{queue.name}" is large enough',
        codes.QUEUE_SAYS: f'ClusterQueue "{queue.name}" refuses it',
    }[code]
    remedy = ""
    if code == codes.NO_FLAVOR_MATCHES:
        remedy = flavors.opening(around, snapshot, workload, queue, job)
    elif code == codes.NO_PLACEMENT:
        remedy = flavors.anywhere(around, job)
    remedy = remedy or around.kubectl("get", "resourceflavors", "-o", "yaml")
    return [finding(code, where, what, cause=seen.decision.message, remedy=remedy)]


def _too_much(around: Surroundings, workload: Workload, queue: ClusterQueue, short: Sequence[Demand]) -> Finding:
    told = "; ".join(f"{d.against_maximum()} ({demand.shares(workload.pod_sets)})" for d in short)
    most = ", ".join(
        f"{demand.said(d.resource, amounts.text(d.resource, d.maximum))} in flavor {d.flavor}" for d in short
    )
    changes = [_raise(queue, d) for d in short]
    return finding(
        codes.NEVER_ENOUGH,
        f"ClusterQueue {queue.name}",
        f"it asks for {told}",
        cause=f'ClusterQueue "{queue.name}" can never give more than {most}, even with nobody else',
        remedy=around.kubectl("patch", "clusterqueue", queue.name, "--type=json", "-p", json.dumps(changes)),
    )


def _raise(queue: ClusterQueue, short: Demand) -> Object:
    """The JSON patch step that makes ``short`` just fit. Every unit of nominal quota adds one to the maximum."""
    key = (short.flavor, short.resource)
    nominal = queue.quotas[key].nominal + short.total - short.maximum
    group = next(g for g in queue.groups if short.resource in g.resources)
    path = (
        f"/spec/resourceGroups/{queue.groups.index(group)}/flavors/{group.flavors.index(short.flavor)}"
        f"/resources/{group.resources.index(short.resource)}/nominalQuota"
    )
    return {"op": "replace", "path": path, "value": amounts.text(short.resource, nominal)}


def _cover(
    around: Surroundings, snapshot: Snapshot, workload: Workload, queue: ClusterQueue, missing: Sequence[str]
) -> str:
    """Quota for what is missing beside what the first resource group has; its first flavor gets what is asked."""
    changes: list[Object] = []
    if not queue.groups:
        return _first_group(around, snapshot, workload, queue, missing)
    totals = demand.totals_of(workload.pod_sets)
    for name in missing:
        changes.append({"op": "add", "path": "/spec/resourceGroups/0/coveredResources/-", "value": name})
        for index in range(len(queue.groups[0].flavors)):
            value = {"name": name, "nominalQuota": amounts.text(name, 0 if index else totals.get(name, 0))}
            path = f"/spec/resourceGroups/0/flavors/{index}/resources/-"
            changes.append({"op": "add", "path": path, "value": value})
    return around.kubectl("patch", "clusterqueue", queue.name, "--type=json", "-p", json.dumps(changes))


def _first_group(
    around: Surroundings, snapshot: Snapshot, workload: Workload, queue: ClusterQueue, missing: Sequence[str]
) -> str:
    """Quota in the first flavor that there is, for a queue that has none at all."""
    if not snapshot.flavors:
        return around.kubectl("edit", "clusterqueue", queue.name)
    totals = demand.totals_of(workload.pod_sets)
    quotas = [{"name": name, "nominalQuota": amounts.text(name, totals.get(name, 0))} for name in missing]
    group = {"coveredResources": list(missing), "flavors": [{"name": min(snapshot.flavors), "resources": quotas}]}
    body = json.dumps({"spec": {"resourceGroups": [group]}})
    return around.kubectl("patch", "clusterqueue", queue.name, "--type=merge", "-p", body)


def _busy(around: Surroundings, snapshot: Snapshot, workload: Workload, queue: ClusterQueue, seen: Outlook) -> Finding:
    short = [d for d in demand.of_workload(snapshot, workload, queue) if d.total > d.free]
    told = "; ".join(
        f"{d.sum()}, {amounts.text(d.resource, d.free)} of {amounts.text(d.resource, d.maximum)} free:"
        f" {amounts.text(d.resource, d.total - d.free)} short"
        for d in short
    )
    parts = []
    if holders := _holders(queue, {(d.flavor, d.resource) for d in short}):
        parts.append(f"held by {listed(holders)}")
    if seen.ahead:
        parts.append(f"{len(seen.ahead)} ahead in the queue: {_named(seen.ahead)}")
    parts.append(expected(seen))
    return finding(
        codes.QUOTA_BUSY,
        f"ClusterQueue {queue.name}",
        f'it waits for quota of ClusterQueue "{queue.name}"{f": {told}" if told else ""}',
        cause="; ".join(parts),
        remedy=around.kubectl("get", "workloads", "-A"),
    )


def _holders(queue: ClusterQueue, keys: set[tuple[str, str]]) -> list[str]:
    """Who holds what of ``keys`` in the tree of ``queue``, the largest first."""
    tree = queue.parent.root.all_queues() if queue.parent is not None else [queue]
    found: list[tuple[int, str]] = []
    for workload in (w for q in tree for w in q.workloads.values()):
        for key in sorted(keys & held(workload).usage.keys()):
            if amount := held(workload).usage[key]:
                found.append((-amount, f"{workload.key} ({demand.said(key[1], amounts.text(key[1], amount))})"))
    return [text for _, text in sorted(found)]


def listed(names: Sequence[str], shown: int = SHOWN) -> str:
    """The first few, and how many more there are."""
    return _first(names[:shown], len(names))


def _named(some: Sequence[Workload]) -> str:
    return _first([workload.key for workload in some[:SHOWN]], len(some))


def _first(names: Sequence[str], total: int) -> str:
    return ", ".join(names) + (f" and {total - len(names)} more" if total > len(names) else "")


def expected(seen: Outlook) -> str:
    """When it is admitted, in words."""
    names = _named(seen.first)
    if seen.when is When.BY_PREEMPTION:
        return f"admitted when {names} {'has' if len(seen.first) == 1 else 'have'} made room (preemption)"
    if seen.when is When.LATER:
        return f"admitted when {names} {'has' if len(seen.first) == 1 else 'have'} ended"
    return "when it is admitted depends on those ahead"
