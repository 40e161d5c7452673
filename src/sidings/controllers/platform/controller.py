"""Reports of the platform's objects: one controller for each kind, all of one shape.

What they say is in ``api/platform/conditions``; what they switch, ``switchboard`` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

import sidings
from sidings.api.objects import Key, Object, name_of
from sidings.api.platform import conditions
from sidings.api.resources import DATA_SCIENCE_CLUSTERS, JOB_SET_OPERATORS, KUEUE_OPERATORS, Resource
from sidings.api.status import NotFound
from sidings.controllers.runtime.controller import Controller, Mapper

FIELD_MANAGER = "sidings-platform"
ALL = Key("", "")


def everything(_: Object) -> Iterable[Key]:
    """A change of one object concerns all: there are one or two of each kind."""
    return (ALL,)


class PlatformController(Controller):
    """Keeps the status of all objects of ``resource``."""

    workers = 1

    def keys(self, obj: Object) -> Iterable[Key]:
        return everything(obj)

    async def status_of(self, obj: Object) -> Object:
        """What ``obj`` should say."""
        raise NotImplementedError(f"{type(self).__name__} must say what its objects report")

    async def reconcile(self, key: Key) -> float | None:
        for obj in (await self.client.list(self.resource)).items:
            before = obj.get("status") or {}
            after = {**before, **await self.status_of(obj)}
            if after != before:
                await self._write(name_of(obj), after)
        return None

    async def _write(self, name: str, status: Object) -> None:
        try:
            await self.client.patch(
                self.resource, name, {"status": status}, subresource="status", field_manager=FIELD_MANAGER
            )
        except NotFound:
            return


class DataScienceClusterController(PlatformController):
    """Looks at JobSet's operator as well, which the trainer needs."""

    name = "datasciencecluster"
    resource = DATA_SCIENCE_CLUSTERS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {JOB_SET_OPERATORS: everything}

    async def status_of(self, obj: Object) -> Object:
        states = conditions.of_cluster(obj, (await self.client.list(JOB_SET_OPERATORS)).items)
        return conditions.cluster_status(obj, states, sidings.__version__, self.clock.now())


class JobSetOperatorController(PlatformController):
    """Reports for ``operator.openshift.io/v1``."""

    name = "jobsetoperator"
    resource = JOB_SET_OPERATORS

    async def status_of(self, obj: Object) -> Object:
        return {"conditions": conditions.timed(obj, conditions.of_job_set_operator(obj), self.clock.now())}


class KueueOperatorController(PlatformController):
    """Reports for ``kueue.openshift.io/v1``."""

    name = "kueue-operator"
    resource = KUEUE_OPERATORS

    async def status_of(self, obj: Object) -> Object:
        return {"conditions": conditions.timed(obj, conditions.of_kueue_operator(obj), self.clock.now())}
