"""Writes what `sidings why` finds as events on the jobs, so that `kubectl describe` tells it too.

A job is looked at a while after something about it went wrong, and then at growing intervals, because some findings
need patience. A finding is written when it appears, not again while it stays; notes are not written. What only logs
tell is left to the command. Jobs that run, end well or wait for quota cost nothing here but a look at the change
itself: there may be tens of thousands. It lives beside the composition root: rooms below know no answers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sidings.answers import codes, standing, suspension
from sidings.answers.family import FINDINGS_COMPONENT, JOB_LABELS, ROOTS, TRAINING_JOBS, Family, families, phase_of
from sidings.answers.finding import Severity
from sidings.answers.standing import Standing
from sidings.answers.state import State, state_of
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import chain
from sidings.api import conditions
from sidings.api.jobset import labels as jobset_labels
from sidings.api.kueue import keys
from sidings.api.objects import Key, Object, controller_of, is_deleting, labels_of, name_of, namespace_of, uid_of
from sidings.api.resources import EVENTS, JOB_SETS, JOBS, NAMESPACES, PODS, TRAIN_JOBS, WORKLOADS, Resource
from sidings.api.status import NotFound
from sidings.client.events import EventNote, Recorder
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller, Mapper
from sidings.host import surroundings
from sidings.queue import reasons

SETTLE_SECONDS = 5.0
LOOKS = (15.0, 60.0)
"""Seconds after which a job that did not change is looked at again; then never, until it does."""
FRESH_SECONDS = 2.0
"""How long queues, nodes and pods are taken as they were read, where many jobs are looked at."""
MOST_NAMED = 8
"""Of the Jobs and pods of a job, about how many events are read: the same goes wrong with all of them."""

_WAITS = frozenset({reasons.WAITING_FOR_QUOTA, reasons.WAITING_FOR_PREEMPTED_WORKLOADS, reasons.PENDING_EVALUATION})
"""What the queue says of workloads that only wait."""
_KINDS = frozenset(resource.kind for resource in ROOTS)


def of_root(obj: Object) -> Iterable[Key]:
    """A queue's jobs are told of by their Workloads, and by warnings where they have none."""
    if _is_over(obj) or (suspension.is_suspended(obj) and keys.QUEUE_NAME in labels_of(obj)):
        return ()
    return _named(obj, _job_of(obj) or name_of(obj))


def of_workload(obj: Object) -> Iterable[Key]:
    reserved = conditions.find((obj.get("status") or {}).get("conditions"), "QuotaReserved") or {}
    owner = controller_of(obj)
    if owner is None or reserved.get("status") == "True" or reserved.get("reason") in _WAITS:
        return ()
    return _named(obj, owner["name"])


def of_pod(obj: Object) -> Iterable[Key]:
    """One that fits nowhere, waits, fails or was started again."""
    status = obj.get("status") or {}
    scheduled = conditions.find(status.get("conditions"), "PodScheduled") or {}
    containers = status.get("containerStatuses") or ()
    is_troubled = (
        phase_of(obj) == "Failed"
        or is_deleting(obj)
        or scheduled.get("status") == "False"
        or any(each.get("restartCount") or (each.get("state") or {}).get("waiting") for each in containers)
    )
    name = _job_of(obj)
    return _named(obj, name) if is_troubled and name else ()


def of_event(obj: Object) -> Iterable[Key]:
    involved = obj.get("involvedObject") or {}
    is_ours = obj.get("reportingComponent") == FINDINGS_COMPONENT
    if obj.get("type") != "Warning" or is_ours or involved.get("kind") not in _KINDS:
        return ()
    return _named(obj, involved["name"])


def _job_of(obj: Object) -> str:
    """Empty where no label names it."""
    labels = labels_of(obj)
    return next((labels[name] for name in JOB_LABELS if name in labels), "")


def _named(obj: Object, name: str) -> Iterable[Key]:
    return (Key(namespace_of(obj), name),)


def _is_over(root: Object) -> bool:
    return any(conditions.is_true(root, type_) for type_ in ("Complete", "Completed", "Succeeded"))


@dataclass
class Seen:
    """What is known of a job: how it was when last looked at, how often since, what was written."""

    facts: tuple[object, ...] = ()
    looks: int = 0
    written: set[tuple[str, str]] = field(default_factory=set)


class JobFindings(Controller):
    """A key names the jobs of any kind that are called so; they are mostly one."""

    name = "job-findings"
    resource = NAMESPACES
    triggers: ClassVar[Mapping[Resource, Mapper]] = {
        **dict.fromkeys(ROOTS, of_root),
        WORKLOADS: of_workload,
        PODS: of_pod,
        EVENTS: of_event,
    }
    workers = 1

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._recorder = Recorder(client, clock, FINDINGS_COMPONENT)
        self._seen: dict[Key, dict[str, Seen]] = {}
        """By uid of the job."""
        self._read: tuple[float, str, Surroundings, Standing] | None = None

    def settle_seconds(self, obj: Object) -> float:
        """Everything about a job changes together, and nothing here is urgent."""
        return SETTLE_SECONDS

    def keys(self, obj: Object) -> Iterable[Key]:
        """A namespace tells nothing itself."""
        return ()

    async def reconcile(self, key: Key) -> float | None:
        found = await self._families(key)
        known = self._seen.pop(key, {})
        seen = {uid_of(family.root): known.get(uid_of(family.root), Seen()) for family in found}
        if seen:
            self._seen[key] = seen
        again = [await self._look(family, seen[uid_of(family.root)]) for family in found]
        return min((seconds for seconds in again if seconds is not None), default=None)

    async def _families(self, key: Key) -> list[Family]:
        """The jobs of the name, with what belongs to them."""
        roots = {resource: await self._named(resource, key) for resource in ROOTS}
        if not any(roots.values()):
            return []
        workloads = [
            workload
            for resource in ROOTS
            if roots[resource]
            for workload in await self.client.dependents(
                WORKLOADS, key.namespace, owner_kind=resource.kind, owner_name=key.name
            )
        ]
        jobs = [*roots[JOBS], *await self._labelled(JOBS, key, jobset_labels.JOBSET_NAME)]
        pods = {uid_of(pod): pod for label in JOB_LABELS for pod in await self._labelled(PODS, key, label)}
        named = [key.name, *(name_of(obj) for obj in (*jobs[:MOST_NAMED], *list(pods.values())[:MOST_NAMED]))]
        events = {uid_of(event): event for name in named for event in await self._warnings(name, key.namespace)}
        found = families(
            train_jobs=roots[TRAIN_JOBS],
            training_jobs=[job for resource in TRAINING_JOBS for job in roots[resource]],
            job_sets=roots[JOB_SETS],
            jobs=jobs,
            pods=pods.values(),
            events=events.values(),
            workloads=workloads,
        )
        return [family for family in found if name_of(family.root) == key.name]

    async def _warnings(self, name: str, namespace: str) -> list[Object]:
        selector = f"involvedObject.name={name},type=Warning"
        return (await self.client.list(EVENTS, namespace, field_selector=selector)).items

    async def _named(self, resource: Resource, key: Key) -> list[Object]:
        try:
            found = await self.client.get(resource, key.name, key.namespace)
        except NotFound:
            return []
        return [{"apiVersion": resource.api_version, "kind": resource.kind, **found}]

    async def _labelled(self, resource: Resource, key: Key, label: str) -> list[Object]:
        page = await self.client.list(resource, key.namespace, label_selector=f"{label}={key.name}")
        return [{"apiVersion": resource.api_version, "kind": resource.kind, **item} for item in page.items]

    async def _look(self, family: Family, seen: Seen) -> float | None:
        """Write what is new about a job; returns the seconds after which to look again."""
        facts = facts_of(family)
        if facts != seen.facts:
            seen.facts, seen.looks = facts, 0
        if not facts or seen.looks > len(LOOKS):
            return None
        around, stood = await self._around(namespace_of(family.root))
        found = chain.answer(family, around, stood).findings
        grave = {(each.code, each.what): each for each in found if each.severity is not Severity.NOTE}
        for told in [each for each in grave if each not in seen.written]:
            where = f"sidings why {name_of(family.root)} -n {namespace_of(family.root)}"
            text = f"{grave[told].code}: {grave[told].what}. Run: {where}"
            await self._recorder.record(EventNote(family.root, "Warning", codes.WORDS[grave[told].code], text))
        seen.written = set(grave)
        seen.looks += 1
        return LOOKS[seen.looks - 1] if seen.looks <= len(LOOKS) else None

    async def _around(self, namespace: str) -> tuple[Surroundings, Standing]:
        now = self.clock.monotonic()
        if self._read is None or self._read[1] != namespace or now - self._read[0] > FRESH_SECONDS:
            around = await surroundings.read(self.client, self.clock, namespace, "")
            self._read = (now, namespace, around, standing.of(around))
        return self._read[2:]


def facts_of(family: Family) -> tuple[object, ...]:
    """What of a job would make another answer; empty for one that has succeeded, goes or only waits for quota."""
    verdict = state_of(family)
    if verdict.state is State.SUCCEEDED or is_deleting(family.root):
        return ()
    if family.workload is not None and verdict.state is State.QUEUED:
        reserved = conditions.find((family.workload.get("status") or {}).get("conditions"), "QuotaReserved") or {}
        if reserved.get("reason") in _WAITS:
            return ()
    phases = sorted((phase_of(pod), is_deleting(pod)) for pod in family.pods)
    return verdict.word, verdict.reason, len(family.events), tuple(phases)
