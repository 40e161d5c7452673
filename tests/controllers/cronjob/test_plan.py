"""What one pass decides."""

from sidings.controllers.cronjob.child_job import SCHEDULED_TIMESTAMP
from sidings.controllers.cronjob.plan import CronJobPlan, plan
from tests.controllers.cronjob.cron_jobs import at, job, made

RUNNING = {"lastScheduleTime": "2026-11-30T12:01:00Z", "active": [{"uid": "c-1", "name": "c-1"}]}


def reasons(decided: CronJobPlan) -> list[str]:
    return [note.reason for note in decided.events]


def test_a_job_is_made_for_its_minute() -> None:
    template = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "m", "image": "i"}]}}},
    }
    decided = plan(made(timeZone="Europe/Paris", jobTemplate=template), [], None, at("12:01:00"))
    assert decided.create is not None
    metadata = decided.create["metadata"]
    assert metadata["name"] == f"c-{int(at('12:01:00').timestamp()) // 60}"
    assert metadata["labels"] == {"a": "b"}
    assert metadata["annotations"] == {SCHEDULED_TIMESTAMP: "2026-11-30T13:01:00+01:00"}
    assert metadata["ownerReferences"][0]["kind"] == "CronJob"
    assert decided.requeue_after == 60.1


def test_a_run_that_goes_on() -> None:
    jobs = [job("c-1")]
    assert plan(made(RUNNING), jobs, None, at("12:02:00")).create is not None
    forbidden = plan(made(RUNNING, concurrencyPolicy="Forbid"), jobs, None, at("12:02:00"))
    assert forbidden.create is None
    assert reasons(forbidden) == ["JobAlreadyActive"]
    replaced = plan(made(RUNNING, concurrencyPolicy="Replace"), jobs, None, at("12:02:00"))
    assert (replaced.delete, replaced.create is not None) == (jobs, True)
    assert "active" not in replaced.status
    assert reasons(replaced) == ["SuccessfulDelete"]


def test_suspended() -> None:
    decided = plan(made(suspend=True), [], None, at("12:05:00"))
    assert (decided.create, decided.requeue_after) == (None, None)


def test_ends_are_seen() -> None:
    ended = job("c-1", "Complete", completionTime="2026-11-30T12:01:40Z")
    decided = plan(made(RUNNING, suspend=True), [ended], None, at("12:01:50"))
    assert reasons(decided) == ["SawCompletedJob"]
    assert decided.events[0].message == "Saw completed job: c-1, condition: Complete"
    assert decided.status == {
        "lastScheduleTime": "2026-11-30T12:01:00Z",
        "lastSuccessfulTime": "2026-11-30T12:01:40Z",
    }


def test_jobs_that_came_and_went_by_themselves() -> None:
    decided = plan(made(RUNNING, suspend=True), [job("manual")], None, at("12:01:50"))
    assert reasons(decided) == ["UnexpectedJob", "MissingJob"]
    assert "active" not in decided.status


def test_a_job_that_was_made_but_not_noted_is_noted() -> None:
    forgotten = job("c-29453762")
    forgotten["metadata"]["annotations"] = {SCHEDULED_TIMESTAMP: "2026-11-30T13:02:00+01:00"}
    decided = plan(made(concurrencyPolicy="Forbid"), [forgotten], None, at("12:03:30"))
    assert (decided.create, reasons(decided)) == (None, ["JobAlreadyActive"])
    assert [each["name"] for each in decided.status["active"]] == ["c-29453762"]
    assert decided.status["lastScheduleTime"] == "2026-11-30T12:02:00Z"


def test_a_zone_that_is_no_more() -> None:
    cron = made(timeZone="Europe/Paris")
    cron["spec"]["timeZone"] = "Europe/Atlantis"
    decided = plan(cron, [], None, at("12:05:00"))
    assert (decided.create, reasons(decided)) == (None, ["UnknownTimeZone"])


def test_a_missed_time_is_told() -> None:
    decided = plan(made(schedule="0 * * * *", startingDeadlineSeconds=10), [], None, at("13:00:30"))
    assert reasons(decided) == ["MissSchedule"]
    assert decided.events[0].message == "Missed scheduled time to start a job: Mon, 30 Nov 2026 13:00:00 +0000"
