"""What a TrainJob's status says (cases C1 to C7)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.api.objects import Object, copy_of
from sidings.controllers.trainjob import status
from tests.trainjobs import train_job

NOW = datetime(2026, 1, 1, 0, 5, tzinfo=UTC)
SUSPENDED = {
    "type": "Suspended",
    "status": "True",
    "reason": "Suspended",
    "message": "TrainJob is suspended",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}
COMPLETED = {
    "type": "Completed",
    "status": "True",
    "reason": "AllJobsCompleted",
    "message": "jobset completed successfully",
    "lastTransitionTime": "2026-01-01T00:03:00Z",
}
FAILED = {
    "type": "Failed",
    "status": "True",
    "reason": "FailedJobs",
    "message": "jobset failed due to one or more job failures (first failed job: tj-node-0)",
    "lastTransitionTime": "2026-01-01T00:03:00Z",
}


def job_set(*conditions: Object, jobs: list[Object] | None = None) -> Object:
    return {"status": {"conditions": list(conditions), "replicatedJobsStatus": jobs or []}}


def job(*conditions: Object, **spec: Any) -> Object:
    return train_job({}, **spec) | {"status": {"conditions": [copy_of(item) for item in conditions]}}


def conditions_of(job: Object, job_set: Object | None = None) -> list[Object]:
    result: list[Object] = status.next_status(job, job_set, NOW).get("conditions") or []
    return result


def test_running_job_has_no_condition() -> None:
    assert status.next_status(train_job({}), job_set(), NOW) == {}


def test_suspended_job_says_so_and_keeps_the_time() -> None:
    assert conditions_of(train_job({}, suspend=True)) == [SUSPENDED | {"lastTransitionTime": "2026-01-01T00:05:00Z"}]
    assert conditions_of(job(SUSPENDED, suspend=True)) == [SUSPENDED]


def test_resumed_job_says_so_for_good() -> None:
    resumed = SUSPENDED | {
        "status": "False",
        "reason": "Resumed",
        "message": "TrainJob is resumed",
        "lastTransitionTime": "2026-01-01T00:05:00Z",
    }
    assert conditions_of(job(SUSPENDED)) == [resumed]
    assert conditions_of(job(resumed)) == [resumed]


@pytest.mark.parametrize(("end", "type_"), [(COMPLETED, "Complete"), (FAILED, "Failed")])
def test_end_of_the_job_set_is_the_jobs(end: Object, type_: str) -> None:
    assert conditions_of(train_job({}), job_set(end)) == [end | {"type": type_}]


def test_other_conditions_of_the_job_set_are_not_copied() -> None:
    others = [SUSPENDED, COMPLETED | {"status": "False"}, FAILED | {"type": "StartupPolicyInProgress"}]
    assert conditions_of(train_job({}), job_set(*others)) == []


def test_passed_deadline_stays_the_reason() -> None:
    deadline = FAILED | {"reason": "DeadlineExceeded", "message": "TrainJob exceeded its active deadline"}
    assert conditions_of(job(deadline), job_set(FAILED)) == [deadline]


def test_jobs_are_copied_in_order_with_every_count() -> None:
    rows = [{"name": "b", "active": 1, "ready": 1}, {"name": "a", "succeeded": 1}]
    zero = {"ready": 0, "succeeded": 0, "failed": 0, "active": 0, "suspended": 0}
    assert status.next_status(train_job({}), job_set(jobs=rows), NOW)["jobsStatus"] == [
        zero | {"name": "b", "active": 1, "ready": 1},
        zero | {"name": "a", "succeeded": 1},
    ]


def test_without_a_job_set_what_is_known_stays() -> None:
    before = job(COMPLETED | {"type": "Complete"})
    before["status"]["jobsStatus"] = [{"name": "node", "succeeded": 1}]
    before["status"]["trainerStatus"] = {"progressPercentage": 100}
    assert status.next_status(before, None, NOW) == before["status"]


def test_given_job_is_not_changed() -> None:
    before = job(SUSPENDED)
    kept = copy_of(before)
    status.next_status(before, job_set(FAILED), NOW)
    assert before == kept


def test_finished() -> None:
    assert status.is_finished(job(COMPLETED | {"type": "Complete"}))
    assert status.is_finished(job(FAILED))
    assert not status.is_finished(job(SUSPENDED))
    assert not status.is_finished(train_job())
