"""Who may resume what: a job that somebody stopped, not one that its queue holds or would stop again."""

from __future__ import annotations

import pytest

from sidings.answers.family import Family
from sidings.api.objects import Object
from sidings.cli.errors import HeldByQueue
from sidings.cli.suspension import refuse_waiting
from tests.answers.objects import condition, train_job, workload

NO_QUOTA = condition("QuotaReserved", "Deactivated", "The workload is deactivated", status="False")
USED_UP = condition("Evicted", "DeactivatedDueToMaximumExecutionTimeExceeded", "exceeding the maximum execution time")


def held(*conditions: Object, active: bool) -> Family:
    root = train_job(suspend=True)
    return Family(root, workload=workload(root, *conditions, active=active))


def test_one_that_has_used_its_time_is_sent_to_the_command_that_gives_it_more() -> None:
    with pytest.raises(HeldByQueue) as caught:
        refuse_waiting(held(NO_QUOTA, USED_UP, active=False), " -n poc")
    assert caught.value.what == 'TrainJob "tj" has run for as long as it may, and would be stopped at once'
    assert str(caught.value.remedy).startswith("sidings why tj -n poc ")


def test_one_that_waits_is_sent_to_what_would_admit_it() -> None:
    with pytest.raises(HeldByQueue, match="is not suspended by anybody"):
        refuse_waiting(held(NO_QUOTA, active=True), "")


def test_one_that_somebody_stopped_may_go_on() -> None:
    refuse_waiting(held(NO_QUOTA, active=False), "")
    refuse_waiting(Family(train_job(suspend=True)), "")
