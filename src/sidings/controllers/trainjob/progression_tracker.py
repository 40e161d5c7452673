"""Asks first nodes for their progress and writes it on their TrainJobs; ``progression`` says what and when.

A node that does not answer yet is asked again at its next turn. The last word is the container's termination message,
which is there before the TrainJob is finished, because its pod's status is what ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random

from sidings.api import conditions
from sidings.api.jobset import labels
from sidings.api.objects import Key, Object, is_deleting
from sidings.api.pods import PodPorts
from sidings.api.resources import PODS, TRAIN_JOBS
from sidings.api.status import BadRequest, NotFound
from sidings.api.trainer import words
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller
from sidings.controllers.trainjob import progression
from sidings.controllers.trainjob.status import COMPLETE, SUSPENDED, is_finished

FIELD_MANAGER = "trainer-progression"
ANSWER_SECONDS = 2.0
LIMIT_BYTES = 256 * 1024
REQUEST = b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n"
_FIRST = {labels.JOB_INDEX: "0", "batch.kubernetes.io/job-completion-index": "0"}


class ProgressionTracker(Controller):
    """Reconciles TrainJobs that ask for progression tracking."""

    name = "trainjob-progression"
    resource = TRAIN_JOBS

    def __init__(self, client: Client, clock: Clock, rng: random.Random, ports: PodPorts) -> None:
        super().__init__(client, clock, rng)
        self._ports = ports
        self._asked: dict[Key, float] = {}
        """When each was asked last: our own annotation is a change that makes us look, but not ask, again."""

    async def reconcile(self, key: Key) -> float | None:
        try:
            job = await self.client.get(TRAIN_JOBS, key.name, key.namespace)
        except NotFound:
            self._asked.pop(key, None)
            return None
        tracking = progression.tracking_of(job)
        if tracking is None or is_deleting(job) or conditions.is_true(job, SUSPENDED):
            return None
        pod = await self._first_pod(key)
        if is_finished(job):
            if not progression.is_final(job):
                text = progression.ended(job, _last_words(pod), conditions.is_true(job, COMPLETE), self.clock.now())
                await self._annotate(job, text)
            return None
        now = self.clock.monotonic()
        if (wait := self._asked.get(key, now - tracking.seconds) + tracking.seconds - now) > 0:
            return wait
        self._asked[key] = now
        report = await self._ask(pod, tracking.port)
        if report is not None:
            await self._annotate(job, progression.running(report, self.clock.now()))
        return tracking.seconds

    async def _first_pod(self, key: Key) -> Object | None:
        """The newest pod of index 0 that has the container which trains."""
        selector = ",".join(f"{name}={value}" for name, value in {labels.JOBSET_NAME: key.name, **_FIRST}.items())
        pods = (await self.client.list(PODS, key.namespace, label_selector=selector)).items
        pods = [pod for pod in pods if any(item["name"] == words.NODE for item in pod["spec"]["containers"])]
        return max(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), default=None)

    async def _ask(self, pod: Object | None, port: int) -> Object | None:
        if pod is None or not conditions.is_true(pod, "Ready"):
            return None
        with contextlib.suppress(OSError, TimeoutError, BadRequest):
            async with asyncio.timeout(ANSWER_SECONDS):
                return progression.read((await self._fetch(pod, port)).partition(b"\r\n\r\n")[2])
        return None

    async def _fetch(self, pod: Object, port: int) -> bytes:
        """Head and body of the answer."""
        loop = asyncio.get_running_loop()
        with await self._ports.connect(pod, port) as connection:
            await loop.sock_sendall(connection, REQUEST)
            answer = b""
            while len(answer) < LIMIT_BYTES and (part := await loop.sock_recv(connection, 65536)):
                answer += part
            return answer

    async def _annotate(self, job: Object, text: str | None) -> None:
        if text is None:
            return
        metadata = job["metadata"]
        body = {"metadata": {"annotations": {words.PROGRESSION: text}}}
        with contextlib.suppress(NotFound):
            await self.client.patch(
                TRAIN_JOBS, metadata["name"], body, namespace=metadata["namespace"], field_manager=FIELD_MANAGER
            )


def _last_words(pod: Object | None) -> Object | None:
    """The report in the termination message of the container that trains."""
    statuses = ((pod or {}).get("status") or {}).get("containerStatuses") or ()
    for status in statuses:
        ended = (status.get("state") or {}).get("terminated") or {}
        if status["name"] == words.NODE and ended.get("message"):
            return progression.read(ended["message"])
    return None
