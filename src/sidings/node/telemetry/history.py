"""Figures over a pod's whole life in bounded memory.

The mean and the peak are exact over the life. The course is kept at most ``MAX_POINTS`` long: when it is full, each two
neighbours become one point, so a pod of two days has as many points as one of half an hour, further apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_POINTS = 720
RECENT = 15
"""Measurements whose mean is what goes on recently: half a minute."""


@dataclass
class Series:
    """One figure. A measurement that could not be made (None) leaves no trace."""

    last: float | None = None
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))
    peak: float | None = None
    _sum: float = 0.0
    _count: int = 0
    points: list[tuple[float, float]] = field(default_factory=list)
    """(moment in seconds since the epoch, mean since the point before)."""
    _pending: list[tuple[float, float]] = field(default_factory=list)
    _width: int = 1
    """How many measurements make one point."""

    def to_json(self) -> dict[str, Any]:
        """All but ``last`` and ``recent``, and less than a point that is not full yet."""
        return {
            "peak": self.peak,
            "sum": self._sum,
            "count": self._count,
            "points": self.points,
            "width": self._width,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Series:
        points = [(float(moment), float(mean)) for moment, mean in value["points"]]
        return cls(peak=value["peak"], points=points, _sum=value["sum"], _count=value["count"], _width=value["width"])

    @property
    def mean(self) -> float | None:
        return self._sum / self._count if self._count else None

    def add(self, moment: float, value: float | None) -> None:
        self.last = value
        if value is None:
            return
        self.recent.append(value)
        self._sum += value
        self._count += 1
        self.peak = value if self.peak is None else max(self.peak, value)
        self._pending.append((moment, value))
        if len(self._pending) == self._width:
            self.points.append(_merged(self._pending))
            self._pending = []
        if len(self.points) >= MAX_POINTS:
            self.points = [_merged(self.points[i : i + 2]) for i in range(0, len(self.points), 2)]
            self._width *= 2


@dataclass
class History:
    """Several figures of one thing, by name."""

    series: dict[str, Series] = field(default_factory=dict)

    def add(self, moment: float, values: Mapping[str, float | None]) -> None:
        for name, value in values.items():
            self.series.setdefault(name, Series()).add(moment, value)

    def rest(self) -> None:
        """What it belongs to has ended: nothing is measured now."""
        for series in self.series.values():
            series.last = None
            series.recent.clear()

    def summary(self, *, course: bool = False) -> dict[str, dict[str, Any]]:
        """``{figure: {"now", "recent", "mean", "peak"}}``, without what is unknown; with ``course`` its points, too."""
        found: dict[str, dict[str, Any]] = {}
        for name, series in self.series.items():
            recent = sum(series.recent) / len(series.recent) if series.recent else None
            values = {"now": series.last, "recent": recent, "mean": series.mean, "peak": series.peak}
            known = {key: round(value, 3) for key, value in values.items() if value is not None}
            if known:
                found[name] = known | ({"course": series.points} if course else {})
        return found


def _merged(points: list[tuple[float, float]]) -> tuple[float, float]:
    return points[-1][0], sum(value for _, value in points) / len(points)
