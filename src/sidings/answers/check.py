"""What would become of a job that is not submitted yet: what it asks for, when it would be admitted, what is missing.

The same stages as ``why``, fed with the job as the server would store it and the Workload that Kueue would make of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from sidings.answers import advice, codes
from sidings.answers.demand import said, totals_of
from sidings.answers.explanations import finding
from sidings.answers.finding import Finding, Severity, place_of
from sidings.answers.line import Line
from sidings.answers.outlook import When
from sidings.answers.standing import Standing
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import queues, quota, references, scheduling
from sidings.api.kueue import keys
from sidings.api.objects import Object, labels_of, namespace_of
from sidings.queue import amounts, workloads

AT_ONCE = "at once"
"""When a job runs that waits in no queue."""


@dataclass
class Prospect:
    """``when`` is empty for what asks for nothing; ``asks`` has a line per pod set and one for the total."""

    title: str
    when: str = ""
    asks: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        findings = [found.as_json() for found in self.findings]
        return {"object": self.title, "admitted": self.when, "asks": self.asks, "findings": findings}

    @property
    def is_refused(self) -> bool:
        return any(found.code == codes.REFUSED for found in self.findings)

    @property
    def is_hopeless(self) -> bool:
        """Whether it would never run as things are."""
        return any(found.severity is Severity.ERROR for found in self.findings)


def refused(obj: Object, where: str, message: str, remedy: str) -> Prospect:
    """An object that the server does not accept; ``where`` is its place in the manifest."""
    place = place_of(obj)
    return Prospect(place, "never", [], [finding(codes.REFUSED, where, message, cause=place, remedy=remedy)])


def of(job: Object, workload: Object, around: Surroundings, standing: Standing) -> Prospect:
    """``workload`` waits from now on: jobs that are checked after it find it ahead of them."""
    namespace = namespace_of(job)
    specs = [entry["template"]["spec"] for entry in workload["spec"]["podSets"]]
    made = workloads.of_object(workload)
    before = sum(len(waiting) for waiting in standing.waiting.values())
    made = replace(made, queued_at=made.queued_at + timedelta(microseconds=before))
    prospect = Prospect(place_of(job), AT_ONCE, asked(made.pod_sets))
    local = made.local_queue
    if local and not _is_managed(namespace, around):
        prospect.findings.append(_beside(job, local, around))
    elif local:
        _in_queue(prospect, made, around, standing)
    elif any(namespace_of(queue) == namespace for queue in around.of_kind("LocalQueue")):
        what = "it names no queue, and starts at once beside all quotas"
        remedy = f'add to its metadata: labels: {{"{keys.QUEUE_NAME}": "NAME"}}'
        prospect.findings.append(finding(codes.NOT_QUEUED, place_of(job), what, remedy=remedy))
    prospect.findings += scheduling.find_room(workload["spec"]["podSets"], job, around)
    prospect.findings += references.find(specs, namespace, around)
    prospect.findings += advice.find(job, specs, around)
    prospect.findings.sort(key=lambda found: found.severity.rank)
    return prospect


def _is_managed(namespace: str, around: Surroundings) -> bool:
    """Whether Kueue holds jobs of the namespace at all; taken for granted where that cannot be told."""
    found = around.find("Namespace", namespace)
    return found is None or around.configuration.management.covers(
        {"kubernetes.io/metadata.name": namespace, **labels_of(found)}
    )


def _beside(job: Object, local: str, around: Surroundings) -> Finding:
    wanted = around.configuration.management.namespaces.get("matchLabels") or {}
    remedy = around.kubectl("label", "namespace", namespace_of(job), *(f"{k}={v}" for k, v in wanted.items()))
    what = f'it names LocalQueue "{local}", but Kueue does not manage namespace "{namespace_of(job)}"'
    cause = "it starts at once, beside all quotas"
    return finding(codes.NOT_MANAGED, place_of(job), what, cause=cause, remedy=remedy)


def asked(pod_sets: Sequence[workloads.PodSet]) -> list[str]:
    """``worker: 2 pods x 2 GPUs, 100m CPUs``, and what all of them ask for together."""
    lines = [f"{pod_set.name}: {_pods(pod_set.count)} x {_amounts(pod_set.requests)}" for pod_set in pod_sets]
    return [*lines, f"in total: {_pods(sum(p.count for p in pod_sets))}, {_amounts(totals_of(pod_sets))}"]


def _pods(count: int) -> str:
    return f"{count} pod{'' if count == 1 else 's'}"


def _amounts(requests: Any) -> str:
    ordered = sorted(requests.items(), key=lambda item: (not item[0].endswith("/gpu"), item[0]))
    return ", ".join(said(name, amounts.text(name, amount)) for name, amount in ordered) or "nothing"


def _in_queue(prospect: Prospect, made: workloads.Workload, around: Surroundings, standing: Standing) -> None:
    broken = queues.find(around, standing.snapshot, made.namespace, made.local_queue)
    name = queues.cluster_queue_of(around, made.namespace, made.local_queue)
    if broken:
        prospect.when = When.NEVER
        prospect.findings += broken
    elif name in standing.snapshot.queues:
        seen, found = quota.find(around, standing.snapshot, made, name, standing.waiting, around.preemption)
        prospect.when = seen.when
        prospect.findings += found
        standing.waiting.setdefault(name, Line()).append(made)
    else:
        prospect.when = When.UNKNOWN
