"""Says on a TrainJob what it is doing: Starting, Running, Restarting, and which rank failed first.

Upstream a TrainJob that runs has no condition, and may not have one: SDKs take any for an end. So the words are
annotations, which ``kubectl describe`` shows and the State column reads. They come from ``answers``, like those of
`sidings get`, which is why this controller lives beside the composition root: rooms below know no answers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.answers.failure import Failure, first_failure
from sidings.answers.family import Family, families
from sidings.answers.log_tail import telling
from sidings.answers.state import state_of
from sidings.api.jobset import labels
from sidings.api.objects import Key, Object, annotations_of, is_deleting, labels_of, namespace_of
from sidings.api.pods import LogOptions
from sidings.api.resources import EVENTS, JOB_SETS, JOBS, PODS, TRAIN_JOBS, WORKLOADS, Resource
from sidings.api.status import ApiError, NotFound
from sidings.api.trainer import words
from sidings.controllers.runtime.controller import Controller, Mapper, keys_of_controller

FIELD_MANAGER = "sidings-states"
LINES, LINES_READ = 5, 200
"""How many lines of a log are told, and of how many they are chosen."""
SETTLE_SECONDS = 0.3


def of_job_set(obj: Object) -> Iterable[Key]:
    """A TrainJob has its JobSet's name."""
    name = labels_of(obj).get(labels.JOBSET_NAME)
    return (Key(namespace_of(obj), name),) if name else ()


class JobStates(Controller):
    """Reconciles TrainJobs."""

    name = "trainjob-states"
    resource = TRAIN_JOBS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {
        PODS: of_job_set,
        JOBS: of_job_set,
        WORKLOADS: keys_of_controller(TRAIN_JOBS.kind),
    }
    workers = 2

    def settle_seconds(self, obj: Object) -> float:
        """Pods of a gang change together."""
        return SETTLE_SECONDS

    async def reconcile(self, key: Key) -> float | None:
        family = await self._family(key)
        if family is None or is_deleting(family.root):
            return None
        told = annotations_of(family.root)
        verdict = state_of(family)
        wanted: dict[str, str | None] = {words.STATE: None if verdict.state.finished else verdict.word}
        failure = first_failure(family)
        if failure is not None and str(failure) != (told.get(words.FIRST_FAILURE) or "").partition("\n")[0]:
            wanted[words.FIRST_FAILURE] = "\n".join((str(failure), *await self._last_lines(failure)))
        if any(told.get(name) != value for name, value in wanted.items()):
            await self._annotate(key, wanted)
        return None

    async def _family(self, key: Key) -> Family | None:
        try:
            job = await self.client.get(TRAIN_JOBS, key.name, key.namespace)
        except NotFound:
            return None
        selector = f"{labels.JOBSET_NAME}={key.name}"
        job_sets = (await self.client.list(JOB_SETS, key.namespace, field_selector=f"metadata.name={key.name}")).items
        jobs = (await self.client.list(JOBS, key.namespace, label_selector=selector)).items
        pods = (await self.client.list(PODS, key.namespace, label_selector=selector)).items
        warnings = f"type=Warning,involvedObject.name={key.name}"
        events = (await self.client.list(EVENTS, key.namespace, field_selector=warnings)).items
        workloads = await self.client.dependents(
            WORKLOADS, key.namespace, owner_kind=TRAIN_JOBS.kind, owner_name=key.name
        )
        root = {"apiVersion": TRAIN_JOBS.api_version, "kind": TRAIN_JOBS.kind, **job}
        found = families(train_jobs=[root], job_sets=job_sets, jobs=jobs, pods=pods, events=events, workloads=workloads)
        return next((family for family in found if family.root is root), None)

    async def _last_lines(self, failure: Failure) -> list[str]:
        metadata = failure.pod["metadata"]
        options = LogOptions(failure.container, previous=failure.previous, tail_lines=LINES_READ)
        text = b""
        with contextlib.suppress(ApiError):
            async for chunk in self.client.logs(metadata["name"], metadata["namespace"], options):
                text += chunk
        return telling(text.decode(errors="replace").splitlines(), LINES)

    async def _annotate(self, key: Key, wanted: Mapping[str, str | None]) -> None:
        body = {"metadata": {"annotations": dict(wanted)}}
        with contextlib.suppress(NotFound):
            await self.client.patch(TRAIN_JOBS, key.name, body, namespace=key.namespace, field_manager=FIELD_MANAGER)
