"""The CronJob controller: reads a CronJob and its Jobs, has the pass planned, carries it out."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from sidings.api import objects, timestamps
from sidings.api.objects import Key, Object
from sidings.api.resources import CRON_JOBS, JOBS, Resource
from sidings.api.status import AlreadyExists, ApiError, NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.cronjob.child_job import reference
from sidings.controllers.cronjob.plan import CronJobPlan, ending, plan
from sidings.controllers.runtime.controller import Controller, Mapper, keys_of_controller
from sidings.controllers.runtime.events import EventNote, Recorder

COMPONENT = "cronjob-controller"


class _Known(NamedTuple):
    """The schedule of a CronJob as last seen, and since when it has it; None: since before this controller."""

    uid: str
    schedule: tuple[str, str | None]
    since: datetime | None


class CronJobController(Controller):
    """Makes the Jobs of CronJobs.

    A schedule that is changed starts with its next time, not with one that lies behind: since when it is as it is, is
    remembered here. After a restart that is forgotten, and the worst is one Job too many.
    """

    name = COMPONENT
    resource = CRON_JOBS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {JOBS: keys_of_controller(CRON_JOBS.kind)}

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._recorder = Recorder(client, clock, COMPONENT)
        self._known: dict[Key, _Known] = {}

    async def reconcile(self, key: Key) -> float | None:
        try:
            cron_job = await self.client.get(CRON_JOBS, key.name, key.namespace)
        except NotFound:
            self._known.pop(key, None)
            return None
        now = self.clock.now()
        jobs = await self.client.dependents(JOBS, key.namespace, owner_kind=CRON_JOBS.kind, owner_name=key.name)
        own = [job for job in jobs if (objects.controller_of(job) or {}).get("uid") == objects.uid_of(cron_job)]
        decided = plan(cron_job, own, self._since(key, cron_job, now), now)
        for job in decided.delete:
            await self._delete(job)
        if decided.create is not None and decided.time is not None:
            await self._create(cron_job, decided, decided.create, decided.time)
        if decided.status != (cron_job.get("status") or {}):
            changed = {**cron_job, "status": decided.status}
            await self.client.update(CRON_JOBS, changed, subresource="status", field_manager=COMPONENT)
        for note in decided.events:
            await self._recorder.record(note)
        return decided.requeue_after

    def _since(self, key: Key, cron_job: Object, now: datetime) -> datetime | None:
        spec: dict[str, Any] = cron_job["spec"]
        uid, schedule = objects.uid_of(cron_job), (spec["schedule"], spec.get("timeZone"))
        known = self._known.get(key)
        if known is None or known.uid != uid:
            known = _Known(uid, schedule, None)
        elif known.schedule != schedule:
            known = _Known(uid, schedule, now)
        self._known[key] = known
        return known.since

    async def _create(self, cron_job: Object, decided: CronJobPlan, job: Object, time: datetime) -> None:
        """Make ``job`` and note it in ``decided``. One that is there was made before a crash, or by somebody else."""
        name, namespace = objects.name_of(job), objects.namespace_of(job)
        try:
            made = await self.client.create(JOBS, job, namespace=namespace, field_manager=COMPONENT)
        except AlreadyExists:
            made = await self.client.get(JOBS, name, namespace)
        except ApiError as error:
            message = f"Error creating job: {error.message}"
            await self._recorder.record(EventNote(cron_job, "Warning", "FailedCreate", message))
            raise
        else:
            decided.events.append(EventNote(cron_job, "Normal", "SuccessfulCreate", f"Created job {name}"))
        if (objects.controller_of(made) or {}).get("uid") != objects.uid_of(cron_job):
            return
        active = decided.status.get("active") or []
        if not ending(made) and objects.uid_of(made) not in [each["uid"] for each in active]:
            decided.status["active"] = [*active, reference(made)]
        decided.status["lastScheduleTime"] = timestamps.to_text(time)

    async def _delete(self, job: Object) -> None:
        with contextlib.suppress(NotFound):
            await self.client.delete(
                JOBS,
                objects.name_of(job),
                objects.namespace_of(job),
                propagation_policy="Background",
                uid=objects.uid_of(job),
            )
