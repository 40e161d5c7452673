"""Everything that has happened, change by change.

The ledger follows Pods and what makes them through a client that never fails, in the order of the store's revisions. A
rule looks at one change with the state before it; what it yields is a violation. The rules themselves are in
``rules.py``, those that hold only once things have come to rest in ``rest.py``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from sidings.api import conditions, objects
from sidings.api.job.labels import COMPLETION_INDEX
from sidings.api.jobset import labels
from sidings.api.objects import Object
from sidings.api.resources import CRON_JOBS, JOB_SETS, JOBS, PODS, TRAIN_JOBS, Resource
from sidings.client.interface import Client

FLOOD = 1_000
"""More changes than this between two looks, and two writers undo each other: time would never go on."""
FOLLOWED = (TRAIN_JOBS, JOB_SETS, CRON_JOBS, JOBS, PODS)
ENDED = ("Succeeded", "Failed")


class Violation(AssertionError):
    """A rule is broken; the message names the rule, the object and the moment."""


class Change(NamedTuple):
    """``old`` is None for a new object, ``new`` for one that is gone."""

    kind: str
    old: Object | None
    new: Object | None

    @property
    def obj(self) -> Object:
        obj = self.new or self.old
        assert obj is not None
        return obj


@dataclass
class Ledger:
    """The present by kind and uid, and what of the past the rules need."""

    followed: ClassVar[tuple[Resource, ...]] = FOLLOWED

    present: dict[str, dict[str, Object]] = field(init=False)
    pods_made: dict[str, int] = field(default_factory=dict)
    """By uid of the Job."""
    indexes_done: dict[str, set[int]] = field(default_factory=dict)
    """Indexes of which a pod was seen to succeed, by uid of the Job."""
    resized: set[str] = field(default_factory=set)
    """Uids of Jobs whose completions were changed."""
    reached_in_place: dict[str, int] = field(default_factory=dict)
    """The highest attempt that an agent has written on a pod, by uid of the JobSet."""
    gone_jobs: dict[str, list[Object]] = field(default_factory=dict)
    """Jobs that have ended and gone, by uid of their owner: it may have read them before and act upon them after."""
    collected: dict[str, str] = field(default_factory=dict)
    """Uids of owners, by uid of the Job that was deleted in the background."""
    completed_for: set[str] = field(default_factory=set)
    """Uids of owners of which a JobSet was seen to complete."""
    changes: int = 0
    _waiting: list[tuple[int, str, str, Object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.present = {resource.kind: {} for resource in self.followed}

    async def follow(self, client: Client) -> None:
        """Until cancelled: note every change. Raises ``Violation`` if there is no end of them."""
        await asyncio.gather(*(self._follow(client, resource) for resource in self.followed))

    async def _follow(self, client: Client, resource: Resource) -> None:
        async for event in client.watch(resource):
            revision = int(event.object["metadata"]["resourceVersion"])
            self._waiting.append((revision, event.type, resource.kind, event.object))
            if len(self._waiting) > FLOOD:
                last = Counter(f"{kind} {objects.name_of(obj)}" for _, _, kind, obj in self._waiting[-100:])
                raise Violation(f"no rest: {FLOOD} changes, and of the last hundred {dict(last)}")

    def check(self, rules: Mapping[str, Rule]) -> None:
        """Judge what was noted since the last call, in order, by rules with their names. Raises ``Violation``."""
        waiting, self._waiting = sorted(self._waiting, key=lambda item: item[0]), []
        for revision, type_, kind, obj in waiting:
            old = self.present[kind].get(objects.uid_of(obj))
            change = Change(kind, old, None if type_ == "DELETED" else obj)
            for name, rule in rules.items():
                for complaint in rule(self, change):
                    where = f"{kind} {objects.namespace_of(obj)}/{objects.name_of(obj)} at revision {revision}"
                    raise Violation(f"{name}: {where}: {complaint}")
            self._apply(change)

    def _apply(self, change: Change) -> None:
        self.changes += 1
        uid, kind = objects.uid_of(change.obj), change.kind
        if change.new is None:
            self.present[kind].pop(uid, None)
            if kind == JOBS.kind and is_finished(change.obj):
                self.gone_jobs.setdefault(owner_uid(change.obj), []).append(change.obj)
            if kind == JOBS.kind and change.old and not objects.is_deleting(change.old):
                self.collected[uid] = owner_uid(change.old)
        else:
            self.present[kind][uid] = change.new
        if kind == JOB_SETS.kind and is_finished(change.obj) == "Completed":
            self.completed_for.add(owner_uid(change.obj))
        if kind == JOBS.kind and change.old and change.new and completions_of(change.old) != completions_of(change.new):
            self.resized.add(uid)
        if kind == PODS.kind:
            owner = owner_uid(change.obj)
            if change.old is None:
                self.pods_made[owner] = self.pods_made.get(owner, 0) + 1
            if (text := objects.annotations_of(change.obj).get(labels.IN_PLACE_RESTART_ATTEMPT)) is not None:
                jobset = objects.labels_of(change.obj).get(labels.JOBSET_UID, "")
                self.reached_in_place[jobset] = max(int(text), self.reached_in_place.get(jobset, 0))
            if phase(change.obj) == "Succeeded" and (index := index_of(change.obj)) is not None:
                self.indexes_done.setdefault(owner, set()).add(index)

    def jobset_of(self, job: Object) -> Object | None:
        return self.present[JOB_SETS.kind].get(owner_uid(job))

    def jobs_of(self, jobset: Object) -> list[Object]:
        uid = objects.uid_of(jobset)
        return [job for job in self.present[JOBS.kind].values() if owner_uid(job) == uid]

    def jobs_seen_by(self, jobset: Object) -> list[Object]:
        """Those that a decision of ``jobset`` may be about: also those that have ended and gone since it read them."""
        return [*self.jobs_of(jobset), *self.gone_jobs.get(objects.uid_of(jobset), ())]


def owner_uid(obj: Object) -> str:
    return str((objects.controller_of(obj) or {}).get("uid") or "")


def phase(pod: Object) -> str:
    return str((pod.get("status") or {}).get("phase") or "Pending")


def index_of(pod: Object) -> int | None:
    text = objects.annotations_of(pod).get(COMPLETION_INDEX)
    return None if text is None else int(text)


def attempt_of(job: Object) -> int:
    return int(objects.labels_of(job)[labels.RESTART_ATTEMPT])


def group_of(job: Object) -> str:
    return str(objects.labels_of(job).get(labels.REPLICATED_JOB_NAME) or "")


def number(obj: Object, name: str) -> int:
    return int((obj.get("status") or {}).get(name) or 0)


def completions_of(job: Object) -> Any:
    return job["spec"].get("completions")


def is_finished(obj: Object) -> str:
    return next((type_ for type_ in ("Complete", "Completed", "Failed") if conditions.is_true(obj, type_)), "")


Rule = Callable[[Ledger, Change], Iterable[str]]
