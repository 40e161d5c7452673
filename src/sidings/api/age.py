"""Ages as kubectl prints them: ``45s``, ``5m3s``, ``12m``, ``5h3m``, ``2d4h``, ``400d``, ``3y20d``.

The steps are those of ``k8s.io/apimachinery/pkg/util/duration`` (v0.36): two units while the first one is small, one
after that.
"""

from __future__ import annotations

from datetime import datetime

from sidings.api import timestamps

UNKNOWN = "<unknown>"
INVALID = "<invalid>"

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86400, 365 * 86400


def human(seconds: float) -> str:
    """``seconds`` as an age. Up to a second in the future is ``0s`` (clocks differ), more is ``<invalid>``."""
    whole = int(seconds)
    if whole < -1:
        return INVALID
    if whole < 0:
        return "0s"
    if whole < 2 * _MINUTE:
        return f"{whole}s"
    if whole < 10 * _MINUTE:
        return _two(whole, _MINUTE, "m", 1, "s")
    if whole < 3 * _HOUR:
        return f"{whole // _MINUTE}m"
    if whole < 8 * _HOUR:
        return _two(whole, _HOUR, "h", _MINUTE, "m")
    if whole < 2 * _DAY:
        return f"{whole // _HOUR}h"
    if whole < 8 * _DAY:
        return _two(whole, _DAY, "d", _HOUR, "h")
    if whole < 2 * _YEAR:
        return f"{whole // _DAY}d"
    if whole < 8 * _YEAR:
        return _two(whole, _YEAR, "y", _DAY, "d")
    return f"{whole // _YEAR}y"


def since(timestamp: str | None, now: datetime) -> str:
    """The age of an RFC 3339 ``timestamp``; ``<unknown>`` where there is none or it cannot be read."""
    if not timestamp:
        return UNKNOWN
    try:
        moment = timestamps.from_text(timestamp)
    except ValueError:
        return UNKNOWN
    return human((now - moment).total_seconds())


def _two(seconds: int, big: int, big_name: str, small: int, small_name: str) -> str:
    rest = seconds % big // small
    return f"{seconds // big}{big_name}" + (f"{rest}{small_name}" if rest else "")
