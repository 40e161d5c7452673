"""Carrying out a ``JobPlan``: what must happen before the status is written, the write, what may happen only after.

Pods are created in batches of 1, 2, 4, ... and the first batch with a failure is the last (``slowStartBatch`` in
job_controller.go, 1.36): where a quota or an admission rule refuses every pod, one refusal tells, not five hundred.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api import objects
from sidings.api.job import labels
from sidings.api.objects import Object
from sidings.api.resources import JOBS, PODS
from sidings.api.status import ApiError, Conflict, NotFound
from sidings.client.interface import Client, PatchType
from sidings.controllers.job.plan import JobPlan
from sidings.controllers.runtime.events import Recorder
from sidings.controllers.runtime.plan import EventNote, together

FIELD_MANAGER = "job-controller"


async def carry_out(client: Client, recorder: Recorder, job: Object, plan: JobPlan) -> ApiError | None:
    """Apply ``plan`` to ``job``; raises the first ``ApiError``.

    Pods that cannot be created do not keep the status back: their error is returned once everything else is done.
    """
    await together([_discard(client, recorder, job, pod) for pod in plan.discard], len(plan.discard))
    await together([_delete(client, recorder, job, pod) for pod in plan.terminate], len(plan.terminate))
    created, error = await _create_all(client, recorder, job, plan.create)
    await _write_status(client, job, plan, missing=len(plan.create) - created)
    await together([release(client, pod) for pod in plan.release], len(plan.release))
    for note in plan.events:
        await recorder.record(note)
    return error


async def release(client: Client, pod: Object) -> None:
    """Remove the tracking finalizer: the pod's object may go."""
    left = [name for name in pod["metadata"].get("finalizers") or () if name != labels.TRACKING_FINALIZER]
    body = {"metadata": {"finalizers": left or None, "uid": objects.uid_of(pod)}}
    try:
        await client.patch(
            PODS,
            objects.name_of(pod),
            body,
            namespace=objects.namespace_of(pod),
            patch_type=PatchType.MERGE,
            field_manager=FIELD_MANAGER,
        )
    except NotFound:
        return


async def _discard(client: Client, recorder: Recorder, job: Object, pod: Object) -> None:
    if labels.TRACKING_FINALIZER in (pod["metadata"].get("finalizers") or ()):
        await release(client, pod)
    await _delete(client, recorder, job, pod)


async def _delete(client: Client, recorder: Recorder, job: Object, pod: Object) -> None:
    name = objects.name_of(pod)
    try:
        await client.delete(PODS, name, objects.namespace_of(pod), uid=objects.uid_of(pod))
    except (NotFound, Conflict):
        return
    await recorder.record(EventNote(job, "Normal", "SuccessfulDelete", f"Deleted pod: {name}"))


async def _create_all(
    client: Client, recorder: Recorder, job: Object, new: Sequence[Object]
) -> tuple[int, ApiError | None]:
    """(pods created, the first error)."""
    done, size = 0, 1
    while done < len(new):
        batch = new[done : done + size]
        outcomes: list[ApiError | None] = []
        await together([_create(client, recorder, job, pod, outcomes) for pod in batch], len(batch))
        failures = [outcome for outcome in outcomes if outcome is not None]
        done += len(batch) - len(failures)
        if failures:
            return done, failures[0]
        size *= 2
    return done, None


async def _create(
    client: Client, recorder: Recorder, job: Object, pod: Object, outcomes: list[ApiError | None]
) -> None:
    try:
        created = await client.create(PODS, pod, namespace=objects.namespace_of(job), field_manager=FIELD_MANAGER)
    except ApiError as error:
        outcomes.append(error)
        await recorder.record(EventNote(job, "Warning", "FailedCreate", f"Error creating: {error.message}"))
        return
    outcomes.append(None)
    await recorder.record(EventNote(job, "Normal", "SuccessfulCreate", f"Created pod: {objects.name_of(created)}"))


async def _write_status(client: Client, job: Object, plan: JobPlan, missing: int) -> None:
    if plan.status is None:
        return
    status = plan.status
    if missing:
        status = {**status, "active": status["active"] - missing}
        if not status["active"]:
            del status["active"]
    await client.update(JOBS, {**job, "status": status}, subresource="status", field_manager=FIELD_MANAGER)
