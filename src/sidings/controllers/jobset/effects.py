"""Carrying out a ``JobSetPlan``.

Any error ends the pass before the status is written; the queue retries. Siblings of a Job that cannot be created are
still tried. Events that tell of a change of the status are written after it was.
"""

from __future__ import annotations

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.resources import CLAIMS, JOB_SETS, JOBS, SERVICES
from sidings.api.status import AlreadyExists, ApiError, Forbidden, InternalError, Invalid, NotFound
from sidings.client.interface import Client
from sidings.controllers.jobset import headless_service, volume_claims
from sidings.controllers.jobset.plan import JobSetPlan
from sidings.controllers.runtime.events import Recorder
from sidings.controllers.runtime.plan import EventNote, together

FIELD_MANAGER = "jobset"
MOST_PARALLEL = 50
JOB_CREATION_FAILED = "JobCreationFailed"
JOB_UPDATE_FAILED = "JobUpdateFailed"
"""Ours: upstream writes it into its log alone, and the set waits without a word."""


async def carry_out(client: Client, recorder: Recorder, jobset: Object, plan: JobSetPlan) -> None:
    """Apply ``plan`` to ``jobset``; raises the first ``ApiError``."""
    await together([_delete_job(client, job) for job in plan.delete_jobs], MOST_PARALLEL)
    await _create_service(client, recorder, jobset, plan.service)
    await _create_claims(client, recorder, jobset, plan.claims)
    for group in plan.create_jobs:
        await _create_jobs(client, recorder, jobset, group)
    await _update_jobs(client, recorder, jobset, plan)
    if plan.failure:
        raise InternalError(plan.failure)
    if plan.status is not None:
        changed = {**jobset, "status": plan.status}
        await client.update(JOB_SETS, changed, subresource="status", field_manager=FIELD_MANAGER)
    for note in plan.events:
        await recorder.record(note)
    if plan.expired:
        await client.delete(
            JOB_SETS, objects.name_of(jobset), objects.namespace_of(jobset), propagation_policy="Foreground"
        )


async def _delete_job(client: Client, job: Object) -> None:
    """Foreground: the Job's object stays until its pods are gone, and keeps its name taken as long."""
    try:
        await client.delete(
            JOBS,
            objects.name_of(job),
            objects.namespace_of(job),
            propagation_policy="Foreground",
            uid=objects.uid_of(job),
        )
    except NotFound:
        return


async def _create_service(client: Client, recorder: Recorder, jobset: Object, service: Object | None) -> None:
    if service is None:
        return
    try:
        await client.create(SERVICES, service, namespace=objects.namespace_of(jobset), field_manager=FIELD_MANAGER)
    except ApiError as error:
        await recorder.record(EventNote(jobset, "Warning", headless_service.CREATION_FAILED, error.message))
        raise


async def _create_claims(client: Client, recorder: Recorder, jobset: Object, claims: list[Object]) -> None:
    for claim in claims:
        try:
            await client.create(CLAIMS, claim, namespace=objects.namespace_of(jobset), field_manager=FIELD_MANAGER)
        except AlreadyExists:
            continue
        except ApiError as error:
            await recorder.record(EventNote(jobset, "Warning", volume_claims.CREATION_FAILED, error.message))
            raise


async def _create_jobs(client: Client, recorder: Recorder, jobset: Object, jobs: list[Object]) -> None:
    """Create the Jobs of one group; where some cannot be, one event tells of them all."""
    failures: list[tuple[str, ApiError]] = []
    await together([_create_job(client, job, failures) for job in jobs], MOST_PARALLEL)
    if failures:
        texts = [f'job "{name}" creation failed with error: {error.message}' for name, error in failures]
        await recorder.record(EventNote(jobset, "Warning", JOB_CREATION_FAILED, "\n".join(texts)))
        raise failures[0][1]


async def _create_job(client: Client, job: Object, failures: list[tuple[str, ApiError]]) -> None:
    try:
        await client.create(JOBS, job, namespace=objects.namespace_of(job), field_manager=FIELD_MANAGER)
    except ApiError as error:
        failures.append((objects.name_of(job), error))


async def _update_jobs(client: Client, recorder: Recorder, jobset: Object, plan: JobSetPlan) -> None:
    """Clear clocks first: the second write of such a Job needs the version of the first.

    A Job that stays refused until somebody changes the set is told by an event.
    """
    versions: dict[str, str] = {}
    for job in plan.clear_start:
        written = await client.update(JOBS, job, subresource="status", field_manager=FIELD_MANAGER)
        versions[objects.uid_of(job)] = written["metadata"]["resourceVersion"]
    for job in plan.update_jobs:
        version = versions.get(objects.uid_of(job))
        if version is not None:
            job = {**job, "metadata": {**job["metadata"], "resourceVersion": version}}
        try:
            await client.update(JOBS, job, field_manager=FIELD_MANAGER)
        except (Invalid, Forbidden) as error:
            if stays_refused(error):
                text = f'job "{objects.name_of(job)}" update failed with error: {error.message}'
                await recorder.record(EventNote(jobset, "Warning", JOB_UPDATE_FAILED, text))
            raise


def stays_refused(error: ApiError) -> bool:
    """Whether it is more than that the Job has not come to rest: until its pods have stopped its template is fixed."""
    fields = {cause.field for cause in error.causes}
    return fields != {"spec.template"}
