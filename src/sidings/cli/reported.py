"""Reads how far jobs are, for ``sidings top``: from their TrainJobs, else from the logs of their first ranks.

``answers.progress`` says which source counts and how it is read; here they are fetched, a few at a time, and only for
the jobs that are shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from sidings.answers import progress
from sidings.answers.progress import Progress
from sidings.api.objects import Object, key_of
from sidings.api.resources import JOB_SETS, PODS, TRAIN_JOBS
from sidings.api.status import ApiError
from sidings.cli.log_stream import tail_of
from sidings.client.interface import Client

LINES_READ = 50
"""Of a log: a run says where it is every few seconds, and little else."""
MOST_LOGS = 4
"""Of one job: a part's first rank speaks for it, and a job whose pods have no numbers may have hundreds."""
AT_ONCE = 4

Job = Mapping[str, Any]
"""One of ``GET /telemetry/v1/jobs``."""


async def read(client: Client, jobs: Sequence[Job], namespace: str) -> list[Progress | None]:
    """For each of ``jobs`` what it said last, None for those that say nothing. ``namespace`` is ``""`` for all."""
    train_jobs = await _train_jobs(client, namespace) if jobs else {}
    limit = asyncio.Semaphore(AT_ONCE)

    async def of(job: Job) -> Progress | None:
        train_job = train_jobs.get((job["namespace"], job["name"])) if job["kind"] == JOB_SETS.kind else None
        told = progress.of_job(train_job) if train_job is not None else None
        if told is not None:
            return told
        async with limit:
            return await _in_logs(client, job)

    return await asyncio.gather(*(of(job) for job in jobs))


async def _train_jobs(client: Client, namespace: str) -> dict[tuple[str, str], Object]:
    """By namespace and name, which their JobSets have as well; none where the cluster has no Trainer, or hides it."""
    try:
        items = (await client.list(TRAIN_JOBS, namespace)).items
    except ApiError:
        return {}
    return {(key.namespace, key.name): item for item in items for key in [key_of(item)]}


async def _in_logs(client: Client, job: Job) -> Progress | None:
    """What the first ranks said; of several parts the last that spoke."""
    first = [rank for rank in job["ranks"] if rank["rank"] in ("0", "")]
    first.sort(key=lambda rank: not rank["running"])
    told = [await _in_log(client, rank["pod"], job["namespace"]) for rank in first[:MOST_LOGS]]
    known = [each for each in told if each is not None]
    return max(known, key=lambda each: each.told.timestamp() if each.told else 0.0, default=None)


async def _in_log(client: Client, pod_name: str, namespace: str) -> Progress | None:
    try:
        pod = await client.get(PODS, pod_name, namespace)
    except ApiError:  # it is gone, and was measured while it was there
        return None
    container = str(pod["spec"]["containers"][0]["name"])
    return progress.in_log(await tail_of(client, pod, container, lines=LINES_READ, timestamps=True))
