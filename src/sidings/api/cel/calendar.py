"""What a time says of its date and hour, in UTC or in the zone that is named."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sidings.api.cel.errors import EvaluationError

_HOUR, _MINUTE, _SECOND, _MILLISECOND = (
    timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1), timedelta(milliseconds=1),
)  # fmt: skip
_OF_DURATIONS: dict[str, Callable[[timedelta], int]] = {
    "getHours": lambda value: int(value / _HOUR),
    "getMinutes": lambda value: int(value / _MINUTE),
    "getSeconds": lambda value: int(value / _SECOND),
    "getMilliseconds": lambda value: int(value % _SECOND / _MILLISECOND),
}
_OF_TIMES: dict[str, Callable[[datetime], int]] = {
    "getFullYear": lambda moment: moment.year,
    "getMonth": lambda moment: moment.month - 1,
    "getDayOfYear": lambda moment: moment.timetuple().tm_yday - 1,
    "getDate": lambda moment: moment.day,
    "getDayOfMonth": lambda moment: moment.day - 1,
    "getDayOfWeek": lambda moment: moment.isoweekday() % 7,
    "getHours": lambda moment: moment.hour,
    "getMinutes": lambda moment: moment.minute,
    "getSeconds": lambda moment: moment.second,
    "getMilliseconds": lambda moment: moment.microsecond // 1000,
}


def _zone(name: Any) -> tzinfo:
    """``Europe/Berlin`` or ``-01:30``."""
    if not isinstance(name, str):
        raise EvaluationError("no such overload")
    try:
        if ":" not in name:
            return ZoneInfo(name)
        hours, minutes = name.split(":")
        sign = -1 if hours.startswith("-") else 1
        return timezone(timedelta(hours=int(hours), minutes=sign * int(minutes)))
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:
        raise EvaluationError(f"unknown time zone {name}") from error


def _asked(name: str) -> Callable[..., int]:
    def answer(value: Any, zone: Any = None) -> int:
        if isinstance(value, timedelta) and zone is None and name in _OF_DURATIONS:
            return _OF_DURATIONS[name](value)
        if not isinstance(value, datetime):
            raise EvaluationError("no such overload")
        return _OF_TIMES[name](value.astimezone(UTC if zone is None else _zone(zone)))

    return answer


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    (name, count): _asked(name) for name in _OF_TIMES for count in (1, 2)
}
