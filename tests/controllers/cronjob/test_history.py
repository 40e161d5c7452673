from sidings.controllers.cronjob import history
from tests.controllers.cronjob.cron_jobs import job, made


def test_the_oldest_of_each_end_go() -> None:
    jobs = [
        job("c-3", "Complete", "12:03:00"),
        job("c-1", "Complete", "12:01:00"),
        job("c-2", "Failed", "12:02:00"),
        job("c-4", "Failed", "12:04:00"),
        job("c-5"),
    ]
    cron = made(successfulJobsHistoryLimit=1, failedJobsHistoryLimit=0)
    assert [each["metadata"]["name"] for each in history.superfluous(cron, jobs)] == ["c-1", "c-2", "c-4"]


def test_one_that_is_going_counts_and_is_left_alone() -> None:
    going = job("c-1", "Complete", "12:01:00")
    going["metadata"]["deletionTimestamp"] = "2026-11-30T12:05:00Z"
    cron = made(successfulJobsHistoryLimit=1)
    assert history.superfluous(cron, [going, job("c-2", "Complete", "12:02:00")]) == []
