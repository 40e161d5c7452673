"""The TrainJob controller: freeze the runtime, apply the JobSet, copy what came of it.

A TrainJob that cannot be built keeps its status and says why in an event, as upstream; it is tried again after a
back-off. A finished one is never built again.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api.objects import Key, Object, copy_of, is_deleting
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, TRAIN_JOBS, Resource
from sidings.api.status import ApiError, InternalError, NotFound
from sidings.api.trainer import runtimes, words
from sidings.client.events import EventNote, Recorder
from sidings.client.interface import Client, PatchType
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller, Mapper, keys_of_controller
from sidings.controllers.software import Finding, Installed, everything
from sidings.controllers.trainjob import job_set as job_sets
from sidings.controllers.trainjob import snapshot, software
from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.deadline import MINIMUM_WAIT, deadline_of
from sidings.controllers.trainjob.errors import BuildError
from sidings.controllers.trainjob.plugins.progress import StatusServer
from sidings.controllers.trainjob.status import (
    MESSAGE_DEADLINE,
    REASON_DEADLINE,
    is_finished,
    next_status,
    set_failed,
)

FIELD_MANAGER = "trainer"
COMPONENT = "trainer-trainjob-controller"
REASON_CREATION_FAILED = "TrainJobResourcesCreationFailed"
NOTE_LIMIT = 950
"""Characters of an error in an event (``pkg/controller/trainjob_controller.go``, 2.3)."""


class TrainJobController(Controller):
    """Reconciles TrainJobs that this controller manages; those of MultiKueue are somebody else's."""

    name = "trainjob"
    resource = TRAIN_JOBS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {
        JOB_SETS: keys_of_controller(TRAIN_JOBS.kind),
        CONFIG_MAPS: keys_of_controller(TRAIN_JOBS.kind),
    }
    workers = 5

    def __init__(
        self,
        client: Client,
        clock: Clock,
        rng: random.Random,
        installed: Installed = everything,
        status_server: StatusServer | None = None,
    ) -> None:
        super().__init__(client, clock, rng)
        self._installed = installed
        self._status_server = status_server
        self.recorder = Recorder(client, clock, COMPONENT, classic=False)
        self._findings = Recorder(client, clock, COMPONENT)  # what upstream does not tell, so that SDKs show it

    async def reconcile(self, key: Key) -> float | None:
        try:
            job = await self.client.get(TRAIN_JOBS, key.name, key.namespace)
        except NotFound:
            return None
        if (job["spec"].get("managedBy") or words.BUILTIN_CONTROLLER) != words.BUILTIN_CONTROLLER or is_deleting(job):
            return None
        failure: ApiError | None = None
        if not is_finished(job):
            failure = await self._build(job)
        again = await self._update_status(job)
        if failure is not None:
            raise failure
        return again

    async def _build(self, job: Object) -> ApiError | None:
        """Freeze the runtime and apply the JobSet if it is due. What goes wrong is told in an event and returned."""
        try:
            runtime = await self._runtime_of(job)
            there = await self._job_set_of(job)
            if job_sets.is_due(job, there):
                built = job_sets.build(job, runtime, self._status_server)
                for companion in built.companions:
                    await self._apply_companion(companion, job["metadata"]["namespace"])
                await self._apply(JOB_SETS, built.job_set)
                if there is None:
                    await self._tell(job, software.findings(built.info, self._installed))
        except (ApiError, BuildError) as error:
            await self.recorder.record(_creation_failed(job, str(error)))
            return error if isinstance(error, ApiError) else InternalError(str(error))
        return None

    async def _tell(self, job: Object, findings: Iterable[Finding]) -> None:
        for reason, message in findings:
            await self._findings.record(EventNote(job, "Warning", reason, message))

    async def _runtime_of(self, job: Object) -> Object:
        """The frozen runtime; the live one is frozen where there is no snapshot yet."""
        metadata = job["metadata"]
        try:
            name = snapshot.name_of_snapshot(metadata["name"])
            return snapshot.thaw(job, await self.client.get(CONFIG_MAPS, name, metadata["namespace"]))
        except NotFound:
            pass
        resource = runtimes.resource_of(job)
        if resource is None:
            raise BuildError(f"unsupported runtime: {runtimes.group_kind_of(job)}")
        namespace = metadata["namespace"] if resource.namespaced else ""
        try:
            runtime = await self.client.get(resource, job["spec"]["runtimeRef"]["name"], namespace)
        except NotFound as error:
            missing = (
                "TrainingRuntime specified in TrainJob is not found"
                if resource.namespaced
                else "not found ClusterTrainingRuntime specified in TrainJob"
            )
            raise BuildError(f"{missing}: {error.message}") from error
        runtime = {"apiVersion": resource.api_version, "kind": resource.kind, **runtime}
        await self._apply(CONFIG_MAPS, snapshot.freeze(job, runtime))
        return runtime

    async def _job_set_of(self, job: Object) -> Object | None:
        try:
            return await self.client.get(JOB_SETS, job["metadata"]["name"], job["metadata"]["namespace"])
        except NotFound:
            return None

    async def _apply_companion(self, companion: Companion, namespace: str) -> None:
        if companion.once:
            with contextlib.suppress(NotFound):
                await self.client.get(companion.resource, companion.name, namespace)
                return
        await self._apply(companion.resource, companion.make())

    async def _apply(self, resource: Resource, obj: Object) -> None:
        await self.client.patch(
            resource,
            obj["metadata"]["name"],
            obj,
            namespace=obj["metadata"]["namespace"],
            patch_type=PatchType.APPLY,
            field_manager=FIELD_MANAGER,
            force=True,
        )

    async def _update_status(self, job: Object) -> float | None:
        """Write the status if it changed; returns the seconds to the deadline if there is one."""
        now = self.clock.now()
        job_set = await self._job_set_of(job)
        after = copy_of(job)
        after["status"] = next_status(job, job_set, now)
        deadline = None if is_finished(after) else deadline_of(after)
        if deadline is not None and now > deadline:
            # First the JobSet, then the condition: a finished TrainJob is not looked after again, so a delete that
            # failed after it would leave the pods running (kubeflow/trainer#3994).
            if job_set is not None:
                await self._delete(job_set)
            set_failed(after["status"], REASON_DEADLINE, MESSAGE_DEADLINE, now)
            deadline = None
        before = job.get("status") or {}
        if after["status"] != before:
            await self.client.patch(
                TRAIN_JOBS,
                job["metadata"]["name"],
                {"status": after["status"] | {field: None for field in before if field not in after["status"]}},
                namespace=job["metadata"]["namespace"],
                subresource="status",
                field_manager=FIELD_MANAGER,
            )
        return None if deadline is None else max((deadline - now).total_seconds(), MINIMUM_WAIT)

    async def _delete(self, job_set: Object) -> None:
        metadata = job_set["metadata"]
        with contextlib.suppress(NotFound):
            await self.client.delete(
                JOB_SETS,
                metadata["name"],
                metadata["namespace"],
                propagation_policy="Background",
                uid=metadata["uid"],
            )


def _creation_failed(job: Object, error: str) -> EventNote:
    shown = error if len(error) <= NOTE_LIMIT else f"{error[:NOTE_LIMIT]} ..."
    message = f"TrainJob resources reconciliation failed: {shown}"
    return EventNote(job, "Warning", REASON_CREATION_FAILED, message, action="Reconciling")
