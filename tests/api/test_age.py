from datetime import UTC, datetime

import pytest

from sidings.api import age

MINUTE, HOUR, DAY, YEAR = 60, 3600, 86400, 365 * 86400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-2, "<invalid>"),
        (-1, "0s"),
        (-0.4, "0s"),
        (0, "0s"),
        (119.9, "119s"),
        (2 * MINUTE, "2m"),
        (5 * MINUTE + 3, "5m3s"),
        (10 * MINUTE + 3, "10m"),
        (3 * HOUR - 1, "179m"),
        (3 * HOUR, "3h"),
        (5 * HOUR + 3 * MINUTE + 9, "5h3m"),
        (8 * HOUR + 59 * MINUTE, "8h"),
        (2 * DAY - 1, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + 4 * HOUR, "2d4h"),
        (8 * DAY + 4 * HOUR, "8d"),
        (2 * YEAR - 1, "729d"),
        (2 * YEAR, "2y"),
        (3 * YEAR + 20 * DAY, "3y20d"),
        (9 * YEAR + 20 * DAY, "9y"),
    ],
)
def test_two_units_while_the_first_is_small(seconds: float, text: str) -> None:
    assert age.human(seconds) == text


def test_an_age_is_counted_from_a_timestamp() -> None:
    now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert age.since("2026-01-01T11:55:00Z", now) == "5m"
    assert age.since(None, now) == "<unknown>"
    assert age.since("yesterday", now) == "<unknown>"
