"""The whole answer: every link from the job to its nodes with its state, and the findings, root cause first.

Stages are asked in the order in which a job passes them. What stops it early is the cause of what is missing later, so
within one severity the earlier stage comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from sidings.answers import codes, standing, state
from sidings.answers.explanations import finding
from sidings.answers.family import TERMINAL_PHASES, Family, event_time, phase_of
from sidings.answers.finding import Finding, Severity, place_of
from sidings.answers.standing import Standing
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import (
    admission,
    checkpoints,
    containers,
    deadline,
    gang,
    ownership,
    probes,
    queues,
    references,
    scheduling,
    standstill,
    transport,
)
from sidings.api import conditions
from sidings.api.objects import Object, key_of

PERSISTENT = 3
"""So many restarts do not help a job of which nothing else is known than that it ends with an error."""


class Link(NamedTuple):
    """One object on the way, and its state in a few words."""

    where: str
    state: str


@dataclass(frozen=True)
class Answer:
    """Why a job is as it is; ``findings`` has the root cause first and is empty where nothing is wrong."""

    job: str
    state: str
    reason: str
    links: list[Link]
    findings: list[Finding]

    def as_json(self) -> dict[str, Any]:
        links = [link._asdict() for link in self.links]
        findings = [found.as_json() for found in self.findings]
        return {"job": self.job, "state": self.state, "reason": self.reason, "chain": links, "findings": findings}


def answer(family: Family, around: Surroundings, stood: Standing | None = None) -> Answer:
    """The answer about one job; ``around`` holds everything in its namespace and all of what is in none.

    ``stood`` is made of it, and handed in by who asks about many jobs at once.
    """
    verdict = state.state_of(family)
    workload = family.workload or around.workload_of(family.members)
    stood = stood or standing.of(around)
    found = [] if verdict.state is state.State.SUCCEEDED else list(_stages(family, verdict, workload, around, stood))
    if not found:
        found = list(_otherwise(family, verdict, workload, around))
    found.sort(key=lambda f: f.severity.rank)
    links = list(_links(family, workload, around, stood))
    return Answer(place_of(family.root), verdict.word, verdict.reason, links, found)


def _stages(
    family: Family, verdict: state.Verdict, workload: Object | None, around: Surroundings, stood: Standing
) -> Iterator[Finding]:
    if not verdict.state.finished:
        yield from admission.find(family, workload, around, stood)
        yield from ownership.find(family, workload, around)
        yield from checkpoints.find(family, around)
    namespace = key_of(family.root).namespace
    unstarted = [pod["spec"] for pod in family.living_pods() if phase_of(pod) == "Pending"]
    broken = list(references.find(unstarted, namespace, around))
    yield from broken
    if not any(found.code == codes.NO_CLAIM for found in broken):
        yield from scheduling.find(family, around)
    yield from standstill.find(family, around)
    yield from probes.find(family, around)
    yield from transport.find(family, around)
    told = {codes.CANNOT_START} if broken else set()
    if verdict.state is state.State.RUNNING:
        yield from containers.find_past(family, around)
    elif verdict.state is state.State.RESTARTING and verdict.restarts.done < PERSISTENT:
        yield from containers.find_setback(family, around, told)
    else:
        yield from (found for found in containers.find(family, around) if found.code not in told)
    yield from gang.find(family, around)


def _otherwise(
    family: Family, verdict: state.Verdict, workload: Object | None, around: Surroundings
) -> Iterator[Finding]:
    """A failure or a warning that no stage knows; what was said before the queue released the job is over."""
    admitted = conditions.find(((workload or {}).get("status") or {}).get("conditions"), "Admitted") or {}
    is_new = bool(family.events) and event_time(family.events[-1]) >= str(admitted.get("lastTransitionTime") or "")
    key = key_of(family.root)
    remedy = around.kubectl("describe", family.kind.lower(), key.name, "-n", key.namespace)
    if deadline.is_over(family.root):
        yield deadline.exceeded(family, around)
    elif verdict.state is state.State.FAILED:
        yield finding(codes.JOB_FAILED, place_of(family.root), "it has failed", cause=verdict.reason, remedy=remedy)
    elif verdict.reason and is_new and verdict.state is state.State.QUEUED and not family.living_pods():
        yield finding(codes.OBSTACLE, place_of(family.root), "it has no pods", cause=verdict.reason, remedy=remedy)


def _links(family: Family, workload: Object | None, around: Surroundings, stood: Standing) -> Iterator[Link]:
    for member in family.members:
        if member not in family.pods:
            yield Link(place_of(member), _condition(member))
    if family.pods:
        phases = Counter(phase_of(pod) for pod in family.pods)
        wanted = family.wanted_pods()
        told = ", ".join(f"{count} {phase}" for phase, count in sorted(phases.items()))
        yield Link(f"Pods of {family.kind} {key_of(family.root).name}", f"{told}, of {wanted or '?'} wanted")
    if workload is not None:
        yield from _queue_links(workload, around, stood)
    names = {str(pod["spec"].get("nodeName") or "") for pod in family.pods if phase_of(pod) not in TERMINAL_PHASES}
    for node in around.of_kind("Node"):
        if node["metadata"]["name"] in names:
            yield Link(
                place_of({"kind": "Node", **node}), "Ready" if conditions.is_true(node, "Ready") else "not Ready"
            )


def _condition(obj: Object) -> str:
    """The last condition that is true, or what is suspended."""
    found = [c for c in (obj.get("status") or {}).get("conditions") or () if c.get("status") == "True"]
    if (obj.get("spec") or {}).get("suspend"):
        return "suspended"
    return str(found[-1]["type"]) if found else "no condition yet"


def _queue_links(workload: Object, around: Surroundings, stood: Standing) -> Iterator[Link]:
    namespace, name = key_of(workload)
    status = workload.get("status") or {}
    states = ("Finished", "Admitted", "QuotaReserved")
    word = next((type_ for type_ in states if conditions.is_true(workload, type_)), "pending")
    reserved = conditions.find(status.get("conditions"), "QuotaReserved") or {}
    yield Link(
        f"Workload {namespace}/{name}", word if word != "pending" else f"pending: {reserved.get('reason') or ''}"
    )
    local = str(workload["spec"].get("queueName") or "")
    cluster_queue = queues.cluster_queue_of(around, namespace, local)
    yield Link(f"LocalQueue {namespace}/{local}", f"-> {cluster_queue}" if cluster_queue else "not there")
    queue = stood.snapshot.queues.get(cluster_queue)
    if queue is not None:
        told = (around.find("ClusterQueue", cluster_queue) or {}).get("status") or {}
        holding, waiting = (int(told.get(field) or 0) for field in ("reservingWorkloads", "pendingWorkloads"))
        word = "active" if queue.inactive is None else f"inactive: {queue.inactive[0]}"
        yield Link(f"ClusterQueue {cluster_queue}", f"{word}, {holding} hold quota, {waiting} wait")
        if queue.parent is not None:
            yield Link(f"Cohort {queue.parent.name}", f"{len(list(queue.parent.root.all_queues()))} queues share quota")


def worst(findings: list[Finding]) -> Severity | None:
    """The gravest severity; None for no finding."""
    return min((found.severity for found in findings), key=lambda s: s.rank, default=None)
