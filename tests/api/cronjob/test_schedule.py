"""When a schedule is due. The cases around a change of the clocks are those of robfig/cron's own tests."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidings.api.cronjob.schedule import parse

NEW_YORK = ZoneInfo("America/New_York")


def following(text: str, after: str, zone: str = "UTC") -> str:
    """The next moment in ``zone``, as text."""
    found = parse(text, ZoneInfo(zone)).next(datetime.fromisoformat(after))
    return found.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M%z") if found else "never"


@pytest.mark.parametrize(
    ("text", "after", "due"),
    [
        ("* * * * *", "2026-11-30T12:00:00Z", "2026-11-30T12:01+0000"),
        ("* * * * *", "2026-11-30T12:00:59Z", "2026-11-30T12:01+0000"),
        ("*/15 * * * *", "2026-11-30T12:46:00Z", "2026-11-30T13:00+0000"),
        ("5/15 * * * *", "2026-11-30T12:21:00Z", "2026-11-30T12:35+0000"),
        ("0-10/5,30 9-17 * * *", "2026-11-30T17:31:00Z", "2026-12-01T09:00+0000"),
        ("0 3 * * 1", "2026-11-30T04:00:00Z", "2026-12-07T03:00+0000"),
        ("0 3 * * sun", "2026-11-30T04:00:00Z", "2026-12-06T03:00+0000"),
        ("0 0 1 jan-mar ?", "2026-11-30T04:00:00Z", "2027-01-01T00:00+0000"),
        ("0 0 29 2 *", "2026-11-30T04:00:00Z", "2028-02-29T00:00+0000"),
        ("0 0 30 2 *", "2026-11-30T04:00:00Z", "never"),
        ("@hourly", "2026-11-30T12:00:00Z", "2026-11-30T13:00+0000"),
        ("@weekly", "2026-11-30T12:00:00Z", "2026-12-06T00:00+0000"),
        ("@yearly", "2026-11-30T12:00:00Z", "2027-01-01T00:00+0000"),
        ("@every 1h30m", "2026-11-30T12:00:20Z", "2026-11-30T13:30+0000"),
    ],
)
def test_next(text: str, after: str, due: str) -> None:
    assert following(text, after) == due


def test_day_of_month_and_day_of_week_are_alternatives_unless_one_is_a_star() -> None:
    assert following("0 0 13 * 5", "2026-11-30T00:00:00Z") == "2026-12-04T00:00+0000"
    assert following("0 0 13 * *", "2026-11-30T00:00:00Z") == "2026-12-13T00:00+0000"
    assert following("0 0 */2 * 5", "2026-11-30T00:00:00Z") == "2026-12-01T00:00+0000"


@pytest.mark.parametrize(
    ("text", "after", "due"),
    [
        ("30 2 11 mar *", "2012-03-11T00:00:00-05:00", "2013-03-11T02:30-0400"),
        ("0 * * * *", "2012-03-11T01:00:00-05:00", "2012-03-11T03:00-0400"),
        ("0 * * * *", "2012-11-04T01:00:00-04:00", "2012-11-04T01:00-0500"),
        ("30 1 4 nov *", "2012-11-04T00:00:00-04:00", "2012-11-04T01:30-0400"),
        ("30 1 4 nov *", "2012-11-04T01:45:00-04:00", "2012-11-04T01:30-0500"),
        ("30 2 4 nov *", "2012-11-04T00:00:00-04:00", "2012-11-04T02:30-0500"),
    ],
)
def test_where_clocks_are_changed(text: str, after: str, due: str) -> None:
    assert following(text, after, "America/New_York") == due


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty spec string"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("* * * * 7", "end of range (7) above maximum (6): 7"),
        ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("@fortnightly", "unrecognized descriptor: @fortnightly"),
        ("@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(text)
    assert str(caught.value) == message


_MINUTE = st.integers(0, 59)
_DUE = st.builds(lambda minute, hour, day: f"{minute} {hour} * * {day}", _MINUTE, st.integers(0, 23), st.integers(0, 6))
_MOMENT = st.integers(0, 2_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


@settings(deadline=None)
@given(_DUE | st.just("*/7 * * * *") | st.just("@every 90s"), _MOMENT, st.integers(0, 3_000_000))
def test_latest_is_the_last_of_the_next_ones(text: str, after: datetime, seconds: int) -> None:
    """As if all were gone through one by one."""
    schedule = parse(text, NEW_YORK)
    until = after + timedelta(seconds=min(seconds, 200_000 if text.startswith(("*", "@")) else seconds))
    expected, moment = None, schedule.next(after)
    while moment is not None and moment <= until:
        expected, moment = moment, schedule.next(moment)
    assert schedule.latest(after, until) == expected
