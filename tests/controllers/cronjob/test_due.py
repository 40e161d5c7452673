from sidings.api.cronjob import schedule
from sidings.controllers.cronjob import due
from tests.controllers.cronjob.cron_jobs import at, made

HOURLY, MINUTELY = schedule.parse("0 * * * *"), schedule.parse("* * * * *")


def test_nothing_before_the_first_time() -> None:
    found = due.find({}, made(), HOURLY, None, at("12:30:00"))
    assert found == due.Due(None, None, False, 1800.1)


def test_the_last_of_several_missed() -> None:
    found = due.find({"lastScheduleTime": "2026-11-30T12:02:00Z"}, made(), MINUTELY, None, at("12:07:10"))
    assert found == due.Due(at("12:07:00"), None, False, 50.1)


def test_too_late_to_be_made_up_for() -> None:
    cron = made(startingDeadlineSeconds=60)
    assert due.find({}, cron, HOURLY, None, at("13:01:00")).time == at("13:00:00")
    assert due.find({}, cron, HOURLY, None, at("13:01:01")) == due.Due(None, at("13:00:00"), False, 3539.1)


def test_more_than_a_hundred_missed() -> None:
    assert not due.find({}, made(), MINUTELY, None, at("13:40:30")).many_missed
    assert due.find({}, made(), MINUTELY, None, at("13:42:30")).many_missed
    bounded = made(startingDeadlineSeconds=600)
    assert not due.find({}, bounded, MINUTELY, None, at("13:42:30")).many_missed


def test_what_a_schedule_asked_for_before_it_was_changed_does_not_count() -> None:
    assert due.find({}, made(), HOURLY, at("13:10:00"), at("13:20:00")).time is None
