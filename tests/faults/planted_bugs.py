"""Bugs to be caught: small lies between a controller and its client, handed in where a client is handed in.

Each stands for a mistake that is easily made in the controller itself; ``in_controller`` says in which. A storm that
does not notice one of them is too weak.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sidings.api import objects
from sidings.api.job import labels as job_labels
from sidings.api.jobset import labels
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS, JOBS, PODS, Resource
from sidings.api.status import ServiceUnavailable
from sidings.client.interface import Client
from tests.faults.control_plane import Wrap


class Lie:
    """A client that passes everything on; a bug overrides what it lies about."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)


class StaleJobs(Lie):
    """Children are read from a cache that lags behind, without expectations."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._before: dict[tuple[str, ...], Sequence[Object]] = {}

    async def dependents(self, resource: Resource, namespace: str = "", **owner: str) -> Sequence[Object]:
        found = await self.client.dependents(resource, namespace, **owner)
        if resource != JOBS:
            return found
        before, self._before[namespace, *owner.values()] = self._before.get((namespace, *owner.values()), found), found
        return before


class StalePods(Lie):
    """Pods that were made since the last look are not seen."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._before: dict[tuple[str, ...], Sequence[Object]] = {}

    async def dependents(self, resource: Resource, namespace: str = "", **owner: str) -> Sequence[Object]:
        found = await self.client.dependents(resource, namespace, **owner)
        if resource != PODS:
            return found
        before, self._before[namespace, *owner.values()] = self._before.get((namespace, *owner.values()), found), found
        return before


class RestartsTwice(Lie):
    """A restart is counted once too often."""

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        status = obj.get("status") or {}
        if resource == JOB_SETS and status.get("restarts"):
            obj = {**obj, "status": {**status, "restarts": status["restarts"] + 1}}
        return await self.client.update(resource, obj, **options)


class CountsEveryRestart(Lie):
    """Restarts that must not count towards the maximum do."""

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        status = obj.get("status") or {}
        if resource == JOB_SETS and status.get("restarts"):
            obj = {**obj, "status": {**status, "restartsCountTowardsMax": status["restarts"] + 1}}
        return await self.client.update(resource, obj, **options)


class LiftsTheBarrierTooEarly(Lie):
    """The attempt that workers may run in is one that no pod has reached."""

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        status = obj.get("status") or {}
        if resource == JOB_SETS and (current := status.get("currentInPlaceRestartAttempt")) is not None:
            obj = {**obj, "status": {**status, "currentInPlaceRestartAttempt": current + 1}}
        return await self.client.update(resource, obj, **options)


class FailsAfterSuccess(Lie):
    """The end of a JobSet is judged anew with every pass."""

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        status = obj.get("status") or {}
        if resource == JOB_SETS and status.get("terminalState"):
            conditions = [one for one in status["conditions"] if one["type"] not in ("Completed", "Failed")]
            obj = {**obj, "status": {**status, "conditions": conditions}}
        return await self.client.update(resource, obj, **options)


class DeletesInBackground(Lie):
    """Old Jobs go at once, their pods some time later, so the new attempt meets them."""

    async def delete(self, resource: Resource, name: str, namespace: str = "", **options: Any) -> Object:
        if resource == JOBS:
            options["propagation_policy"] = "Background"
        return await self.client.delete(resource, name, namespace, **options)


class ForgetsSuspension(Lie):
    """Jobs that are made while the JobSet is suspended, or that are to be suspended, run."""

    async def create(self, resource: Resource, obj: Object, **options: Any) -> Object:
        return await self.client.create(resource, _running(resource, obj), **options)

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        return await self.client.update(resource, _running(resource, obj), **options)


def _running(resource: Resource, obj: Object) -> Object:
    return {**obj, "spec": {**obj["spec"], "suspend": False}} if resource == JOBS else obj


class OldAttempt(Lie):
    """New Jobs carry the attempt of their forerunners."""

    async def create(self, resource: Resource, obj: Object, **options: Any) -> Object:
        if resource == JOBS:
            obj = objects.copy_of(obj)
            attempt = int(obj["metadata"]["labels"][labels.RESTART_ATTEMPT])
            obj["metadata"]["labels"][labels.RESTART_ATTEMPT] = str(max(attempt - 1, 0))
        return await self.client.create(resource, obj, **options)


class NeverDeletesOldJobs(Lie):
    """Jobs of the earlier attempt are left to themselves."""

    async def delete(self, resource: Resource, name: str, namespace: str = "", **options: Any) -> Object:
        if resource == JOBS:
            return {}
        return await self.client.delete(resource, name, namespace, **options)


class ForgetsToRelease(Lie):
    """The finalizer stays on pods whose end was counted."""

    async def patch(self, resource: Resource, name: str, body: Any, **options: Any) -> Object:
        if resource == PODS and "finalizers" in (body.get("metadata") or {}):
            raise ServiceUnavailable("not now")
        return await self.client.patch(resource, name, body, **options)


class CountsTwice(Lie):
    """A failed pod is counted when its end is noted, and again when it is released."""

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        status = obj.get("status") or {}
        noted = status.get("uncountedTerminatedPods")
        if resource == JOBS and noted:
            extra = len(noted.get("failed") or ())
            obj = {**obj, "status": {**status, "failed": int(status.get("failed") or 0) + extra}}
        return await self.client.update(resource, obj, **options)


class CompletesTooEarly(Lie):
    """An index counts as done when its pod is made."""

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        status = obj.get("status") or {}
        if resource == JOBS and status.get("active") and obj["spec"].get("completionMode") == "Indexed":
            obj = {**obj, "status": {**status, "completedIndexes": "0", "succeeded": 1}}
        return await self.client.update(resource, obj, **options)


class SameIndexTwice(Lie):
    """Every pod is index 0."""

    async def create(self, resource: Resource, obj: Object, **options: Any) -> Object:
        if resource == PODS and job_labels.COMPLETION_INDEX in (obj["metadata"].get("annotations") or {}):
            obj = objects.copy_of(obj)
            for place in ("labels", "annotations"):
                obj["metadata"][place][job_labels.COMPLETION_INDEX] = "0"
        return await self.client.create(resource, obj, **options)


class LosesWakeUps(Lie):
    """A watch that ended is not opened again."""

    async def watch(self, resource: Resource, namespace: str = "", **options: Any) -> Any:
        async for event in self.client.watch(resource, namespace, **options):
            yield event
            if resource == JOBS and event.type == "DELETED":
                await asyncio.Event().wait()


class CollectsNothing(Lie):
    """Dependents of what is gone stay."""

    async def delete(self, resource: Resource, name: str, namespace: str = "", **options: Any) -> Object:
        return {}


class ForgetsRuns(Lie):
    """The Jobs of a CronJob are not looked at before another one is made."""

    async def dependents(self, resource: Resource, namespace: str = "", **owner: str) -> Sequence[Object]:
        return []


class KeepsHistory(Lie):
    """Finished Jobs of a CronJob stay."""

    async def delete(self, resource: Resource, name: str, namespace: str = "", **options: Any) -> Object:
        return {}


class RetriesFailedIndexes(Lie):
    """An index that has failed for good is forgotten with the next write."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._written: set[str] = set()

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        status = obj.get("status") or {}
        if resource == JOBS and status.get("failedIndexes"):
            if objects.uid_of(obj) in self._written:
                obj = {**obj, "status": {**status, "failedIndexes": ""}}
            self._written.add(objects.uid_of(obj))
        return await self.client.update(resource, obj, **options)


class NeverSuspendsJobSets(Lie):
    """A TrainJob that is suspended leaves its JobSet running."""

    async def patch(self, resource: Resource, name: str, body: Any, **options: Any) -> Object:
        if resource == JOB_SETS and (body.get("spec") or {}).get("suspend"):
            body = {**body, "spec": {**body["spec"], "suspend": False}}
        return await self.client.patch(resource, name, body, **options)


class PlantedBug(NamedTuple):
    in_controller: str
    lie: Callable[[Client], Lie]

    def wraps(self) -> dict[str, Wrap]:
        return {self.in_controller: self.lie}  # type: ignore[dict-item]


BUGS = {
    bug.lie.__name__: bug  # type: ignore[attr-defined]
    for bug in (
        PlantedBug("jobset", StaleJobs),
        PlantedBug("job", StalePods),
        PlantedBug("jobset", RestartsTwice),
        PlantedBug("jobset", CountsEveryRestart),
        PlantedBug("jobset", LiftsTheBarrierTooEarly),
        PlantedBug("jobset", FailsAfterSuccess),
        PlantedBug("jobset", DeletesInBackground),
        PlantedBug("jobset", ForgetsSuspension),
        PlantedBug("jobset", OldAttempt),
        PlantedBug("jobset", NeverDeletesOldJobs),
        PlantedBug("job", ForgetsToRelease),
        PlantedBug("job", CountsTwice),
        PlantedBug("job", CompletesTooEarly),
        PlantedBug("job", SameIndexTwice),
        PlantedBug("jobset", LosesWakeUps),
        PlantedBug("garbage", CollectsNothing),
        PlantedBug("cronjob", ForgetsRuns),
        PlantedBug("cronjob", KeepsHistory),
        PlantedBug("job", RetriesFailedIndexes),
        PlantedBug("trainjob", NeverSuspendsJobSets),
    )
}
