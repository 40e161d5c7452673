"""A Job that the API refuses, told where the user looks: on the TrainJob.

Upstream the reason (``Limit must be set for non overcommitable resources``, say) is an event of the JobSet and the
TrainJob just never starts (kubeflow/trainer#2363). Here the event is repeated on the TrainJob, once per message. It
stays an event: conditions are upstream's, because SDKs read any early condition as "not running". It has
``firstTimestamp``, as JobSet's own events have not: the SDK (kubeflow 0.5.0) leaves out events without.
"""

from __future__ import annotations

import random

from sidings.api.objects import Key, Object, controller_of
from sidings.api.resources import EVENTS, JOB_SETS, TRAIN_JOBS
from sidings.api.status import NotFound
from sidings.client.events import EventNote, Recorder
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller
from sidings.controllers.trainjob.controller import COMPONENT

REASON = "JobCreationFailed"
"""The JobSet controller's reason (jobset v0.12, ``pkg/constants``)."""


class RefusalForwarder(Controller):
    """Reconciles events: those of a JobSet whose Job was refused."""

    name = "trainjob-refusals"
    resource = EVENTS
    workers = 1

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self.recorder = Recorder(client, clock, COMPONENT)

    async def reconcile(self, key: Key) -> float | None:
        try:
            event = await self.client.get(EVENTS, key.name, key.namespace)
            if not _tells_refusal(event):
                return None
            job_set = await self.client.get(JOB_SETS, event["involvedObject"]["name"], key.namespace)
            owner = controller_of(job_set)
            if owner is None or owner["kind"] != TRAIN_JOBS.kind:
                return None
            job = await self.client.get(TRAIN_JOBS, owner["name"], key.namespace)
        except NotFound:
            return None
        if not await self._is_told(job, event["message"]):
            await self.recorder.record(EventNote(job, "Warning", REASON, event["message"]))
        return None

    async def _is_told(self, job: Object, message: str) -> bool:
        metadata = job["metadata"]
        told = await self.client.list(
            EVENTS, metadata["namespace"], field_selector=f"involvedObject.uid={metadata['uid']},reason={REASON}"
        )
        return any(event.get("message") == message for event in told.items)


def _tells_refusal(event: Object) -> bool:
    about = event.get("involvedObject") or {}
    return event.get("reason") == REASON and about.get("kind") == JOB_SETS.kind
