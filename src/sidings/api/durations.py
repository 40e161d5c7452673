"""Durations as ``kubectl`` prints them: two units while they tell something, one after that.

The steps are those of ``k8s.io/apimachinery/pkg/util/duration.HumanDuration`` (v0.36).
"""

from __future__ import annotations

from datetime import timedelta


def human(duration: timedelta) -> str:
    """``90s``, ``5m3s``, ``12m``, ``5h30m``, ``12h``, ``3d4h``, ``12d``, ``3y40d``; a little negative is ``0s``."""
    seconds = int(duration.total_seconds())
    if seconds < -1:
        return "<invalid>"
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{max(seconds, 0)}s"
    if minutes < 10:
        return _two(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if days < 2 * 365:
        return f"{days}d"
    if days < 8 * 365:
        return _two(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"
