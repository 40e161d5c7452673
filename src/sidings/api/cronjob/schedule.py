"""When a CronJob is due: five fields, or a word, in a time zone.

The grammar and the messages are those of ``github.com/robfig/cron/v3`` (``ParseStandard``), which Kubernetes 1.36 uses.
Two of its rules surprise: a day matches if day of month *or* day of week does, unless one of the two begins with ``*``;
and Sunday is 0, never 7. Where clocks are put forward, times that do not exist are left out; where they are put back,
an hour that comes twice is due twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

MOST_YEARS = 5
"""How far ahead a match is looked for, as robfig does; 30 February never comes."""
_NAMES_OF_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NAMES_OF_DAYS = "sun mon tue wed thu fri sat".split()
_WORDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY = "@every "
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


class Schedule(Protocol):
    """``after`` and ``until`` are aware, what is returned is in UTC."""

    def next(self, after: datetime) -> datetime | None:
        """The first moment later than ``after`` at which it is due; None where there is none."""
        ...

    def latest(self, after: datetime, until: datetime) -> datetime | None:
        """The last moment later than ``after``, and not than ``until``, at which it is due."""
        ...


class _Bounds(NamedTuple):
    low: int
    high: int
    names: Mapping[str, int]


_MINUTES = _Bounds(0, 59, {})
_HOURS = _Bounds(0, 23, {})
_DAYS = _Bounds(1, 31, {})
_MONTHS = _Bounds(1, 12, {name: number for number, name in enumerate(_NAMES_OF_MONTHS, 1)})
_WEEKDAYS = _Bounds(0, 6, {name: number for number, name in enumerate(_NAMES_OF_DAYS)})


class _Field(NamedTuple):
    values: frozenset[int]
    star: bool
    """Whether any part of it is ``*`` or ``?`` without a step."""


class Fields(NamedTuple):
    """A schedule of five fields."""

    minutes: _Field
    hours: _Field
    days: _Field
    months: _Field
    weekdays: _Field
    zone: ZoneInfo

    def next(self, after: datetime) -> datetime | None:
        moment = after.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
        last_year = after.year + MOST_YEARS
        while (local := moment.astimezone(self.zone)).year <= last_year:
            if local.month not in self.months.values:
                next_month = (local.replace(day=1, hour=0, minute=0) + timedelta(days=32)).replace(day=1)
                moment = self._later(moment, next_month)
            elif not self._is_day(local):
                moment = self._later(moment, local.replace(hour=0, minute=0) + timedelta(days=1))
            elif local.hour not in self.hours.values:
                moment += timedelta(minutes=60 - local.minute)
            elif local.minute not in self.minutes.values:
                moment += timedelta(minutes=1)
            else:
                return moment
        return None

    def latest(self, after: datetime, until: datetime) -> datetime | None:
        """Looks back from ``until`` ever further, so that a long time without a look costs little."""
        found, back = None, timedelta(minutes=1)
        while found is None:
            start = max(after, until - back)
            moment = self.next(start)
            while moment is not None and moment <= until:
                found, moment = moment, self.next(moment)
            if start == after:
                break
            back *= 2
        return found

    def _later(self, moment: datetime, midnight: datetime) -> datetime:
        """The instant of ``midnight`` on the wall; the next minute where a change of the clocks makes it no later."""
        instant = midnight.replace(tzinfo=self.zone, fold=0).astimezone(UTC)
        return max(instant, moment + timedelta(minutes=1))

    def _is_day(self, local: datetime) -> bool:
        day = local.day in self.days.values
        weekday = local.isoweekday() % 7 in self.weekdays.values
        return (day and weekday) if self.days.star or self.weekdays.star else (day or weekday)


class Every(NamedTuple):
    """``@every 90s``: counted from the time before, whole seconds, one at least."""

    seconds: int

    def next(self, after: datetime) -> datetime:
        return after.astimezone(UTC).replace(microsecond=0) + timedelta(seconds=self.seconds)

    def latest(self, after: datetime, until: datetime) -> datetime | None:
        start = after.astimezone(UTC).replace(microsecond=0)
        times = int((until - start).total_seconds()) // self.seconds
        return start + timedelta(seconds=times * self.seconds) if times > 0 else None


def parse(text: str, zone: ZoneInfo | None = None) -> Schedule:
    """Raises ``ValueError`` with robfig's message. ``zone`` is UTC where it is None."""
    if not text:
        raise ValueError("empty spec string")
    if text.startswith(_EVERY):
        return Every(_every(text))
    if text.startswith("@"):
        if text not in _WORDS:
            raise ValueError(f"unrecognized descriptor: {text}")
        text = _WORDS[text]
    words = text.split()
    if len(words) != 5:
        raise ValueError(f"expected exactly 5 fields, found {len(words)}: [{' '.join(words)}]")
    bounds = (_MINUTES, _HOURS, _DAYS, _MONTHS, _WEEKDAYS)
    minutes, hours, days, months, weekdays = (_field(word, bound) for word, bound in zip(words, bounds, strict=True))
    return Fields(minutes, hours, days, months, weekdays, zone or ZoneInfo("UTC"))


def _field(text: str, bounds: _Bounds) -> _Field:
    values: set[int] = set()
    star = False
    for part in filter(None, text.split(",")):
        found, whole = _range(part, bounds)
        values |= found
        star = star or whole
    return _Field(frozenset(values), star)


def _range(text: str, bounds: _Bounds) -> tuple[set[int], bool]:
    """What ``*``, ``a``, ``a-b`` with or without ``/step`` stands for, and whether it is a star without a step."""
    scope, *steps = text.split("/")
    first, *others = scope.split("-")
    if len(others) > 1:
        raise ValueError(f"too many hyphens: {text}")
    if len(steps) > 1:
        raise ValueError(f"too many slashes: {text}")
    star = first in ("*", "?")
    if star:
        low, high = bounds.low, bounds.high
    else:
        low = _number(first, bounds.names)
        high = _number(others[0], bounds.names) if others else low
    step = 1
    if steps:
        step = _number(steps[0], {})
        if not others and not star:
            high = bounds.high
    if low < bounds.low:
        raise ValueError(f"beginning of range ({low}) below minimum ({bounds.low}): {text}")
    if high > bounds.high:
        raise ValueError(f"end of range ({high}) above maximum ({bounds.high}): {text}")
    if low > high:
        raise ValueError(f"beginning of range ({low}) beyond end of range ({high}): {text}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {text}")
    return set(range(low, high + 1, step)), star and step == 1


def _number(text: str, names: Mapping[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if not re.fullmatch("[+-]?[0-9]+", text):
        raise ValueError(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    if int(text) < 0:
        raise ValueError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)


def _every(text: str) -> int:
    duration = text.removeprefix(_EVERY)
    number = r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|ms|s|m|h)"
    if not re.fullmatch(f"[+-]?({number})+", duration):
        raise ValueError(f'failed to parse duration {text}: time: invalid duration "{duration}"')
    seconds = sum(float(amount) * _UNITS[unit] for amount, unit in re.findall(number, duration))
    return 1 if duration.startswith("-") else max(int(seconds), 1)
