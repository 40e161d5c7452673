"""CronJobs at work on the API, on virtual time."""

import pytest

from sidings.api.objects import Object, copy_of
from sidings.api.resources import CRON_JOBS, EVENTS, JOBS, RESOURCE_QUOTAS
from sidings.host.control_plane import ControlPlane
from tests.controllers.cronjob.cron_jobs import cron_job

pytestmark = pytest.mark.looptime
MINUTE = 60.0


async def jobs(plane: ControlPlane) -> list[Object]:
    return (await plane.client.list(JOBS, "default")).items


async def finish(plane: ControlPlane, name: str) -> None:
    """The Job completes, its pods with it."""
    job = await plane.client.get(JOBS, name, "default")
    moment = job["status"]["startTime"]
    conditions = [{"type": type_, "status": "True"} for type_ in ("SuccessCriteriaMet", "Complete")]
    status = {"active": None, "terminating": None, "completionTime": moment, "conditions": conditions}
    await plane.client.patch(JOBS, name, {"status": status}, namespace="default", subresource="status")


async def test_every_minute_a_job_and_only_the_last_are_kept(plane: ControlPlane) -> None:
    spec = copy_of(cron_job(successfulJobsHistoryLimit=2))
    spec["spec"]["jobTemplate"]["spec"]["managedBy"] = "example.com/nobody"
    await plane.client.create(CRON_JOBS, {"metadata": {"name": "c", "namespace": "default"}, "spec": spec["spec"]})
    seen: set[str] = set()
    for _ in range(5):
        await plane.clock.sleep(MINUTE + 1)
        for job in await jobs(plane):
            if job["metadata"]["name"] not in seen:
                seen.add(job["metadata"]["name"])
                body = {"status": {"startTime": job["metadata"]["creationTimestamp"]}}
                await plane.client.patch(JOBS, job["metadata"]["name"], body, namespace="default", subresource="status")
                await finish(plane, job["metadata"]["name"])
    await plane.clock.sleep(5)
    assert len(seen) == 5
    assert [job["metadata"]["name"] for job in await jobs(plane)] == sorted(seen)[-2:]
    status = (await plane.client.get(CRON_JOBS, "c", "default"))["status"]
    assert set(status) == {"lastScheduleTime", "lastSuccessfulTime"}
    told = (await plane.client.list(EVENTS, "default", field_selector="involvedObject.kind=CronJob")).items
    assert {event["reason"] for event in told} == {"SuccessfulCreate", "SawCompletedJob", "SuccessfulDelete"}


async def test_after_a_crash_no_time_has_two_jobs(plane: ControlPlane) -> None:
    made = cron_job(schedule="*/5 * * * *")
    await plane.client.create(CRON_JOBS, {"metadata": {"name": "c", "namespace": "default"}, "spec": made["spec"]})
    await plane.clock.sleep(5 * MINUTE + 1)
    [job] = await jobs(plane)
    forgotten = {"status": {"active": None, "lastScheduleTime": None}}
    await plane.client.patch(CRON_JOBS, "c", forgotten, namespace="default", subresource="status")
    await plane.clock.sleep(5)
    assert await jobs(plane) == [job]
    status = (await plane.client.get(CRON_JOBS, "c", "default"))["status"]
    assert [each["uid"] for each in status["active"]] == [job["metadata"]["uid"]]


async def test_a_changed_schedule_starts_with_its_next_time(plane: ControlPlane) -> None:
    made = cron_job(schedule="0 0 1 1 *")
    await plane.client.create(CRON_JOBS, {"metadata": {"name": "c", "namespace": "default"}, "spec": made["spec"]})
    await plane.clock.sleep(90 * MINUTE)
    body = {"spec": {"schedule": "0 * * * *"}}
    await plane.client.patch(CRON_JOBS, "c", body, namespace="default")
    await plane.clock.sleep(1)
    assert await jobs(plane) == []
    await plane.clock.sleep(60 * MINUTE)
    assert len(await jobs(plane)) == 1


async def test_a_job_that_is_refused_says_so_and_is_tried_again(plane: ControlPlane) -> None:
    quota = {"metadata": {"name": "none", "namespace": "default"}, "spec": {"hard": {"count/jobs.batch": "0"}}}
    await plane.client.create(RESOURCE_QUOTAS, quota)
    await plane.client.create(
        CRON_JOBS, {"metadata": {"name": "c", "namespace": "default"}, "spec": cron_job()["spec"]}
    )
    await plane.clock.sleep(MINUTE + 1)
    [event] = (await plane.client.list(EVENTS, "default", field_selector="reason=FailedCreate")).items
    assert "exceeded quota: none" in event["message"]
    await plane.client.delete(RESOURCE_QUOTAS, "none", "default")
    await plane.clock.sleep(MINUTE + 1)
    assert await jobs(plane)
