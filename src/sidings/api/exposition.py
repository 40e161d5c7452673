"""Counters and histograms, and Prometheus' text format (0.0.4) in which all figures are told. Pure: no clock, no I/O.

Who measures keeps its own families and hands observations in; whoever is asked for ``/metrics`` puts the texts of all
of them together. A family without a sample tells nothing, not even its name.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = tuple[str, ...]
"""Values, in the order of a family's label names."""
NO_LABELS: Mapping[str, str] = {}


class Counter:
    """Something that only grows, by labels; ``constant`` are labels that all samples have."""

    def __init__(
        self, name: str, help_: str, labels: Sequence[str] = (), constant: Mapping[str, str] = NO_LABELS
    ) -> None:
        self._name, self._help, self._labels, self._constant = name, help_, labels, constant
        self._values: dict[Labels, float] = {}

    def add(self, labels: Labels = (), amount: float = 1) -> None:
        self._values[labels] = self._values.get(labels, 0) + amount

    def lines(self) -> list[str]:
        samples = [
            ({**dict(zip(self._labels, labels, strict=True)), **self._constant}, value)
            for labels, value in self._values.items()
        ]
        return family(self._name, "counter", self._help, samples)


class Histogram:
    """How often something took how long, by labels; ``buckets`` are upper bounds in order."""

    def __init__(
        self,
        name: str,
        help_: str,
        labels: Sequence[str],
        buckets: Sequence[float],
        constant: Mapping[str, str] = NO_LABELS,
    ) -> None:
        self._name, self._help, self._labels, self._bounds = name, help_, labels, buckets
        self._constant = constant
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}

    def observe(self, labels: Labels, value: float) -> None:
        counts = self._counts.get(labels)
        if counts is None:
            counts = self._counts[labels] = [0] * (len(self._bounds) + 1)
            self._sums[labels] = 0.0
        counts[bisect_left(self._bounds, value)] += 1
        self._sums[labels] += value

    def lines(self) -> list[str]:
        if not self._counts:
            return []
        found = _head(self._name, "histogram", self._help)
        for values, counts in self._counts.items():
            labels = {**dict(zip(self._labels, values, strict=True)), **self._constant}
            total = 0
            for bound, count in zip((*map(number, self._bounds), "+Inf"), counts, strict=True):
                total += count
                found.append(sample(f"{self._name}_bucket", {**labels, "le": bound}, total))
            found.append(sample(f"{self._name}_sum", labels, self._sums[values]))
            found.append(sample(f"{self._name}_count", labels, total))
        return found


def family(name: str, type_: str, help_: str, samples: Iterable[tuple[Mapping[str, str], float | None]]) -> list[str]:
    """The lines of one family; samples without a value are left out."""
    known = [sample(name, labels, value) for labels, value in samples if value is not None]
    return [*_head(name, type_, help_), *known] if known else []


def text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def sample(name: str, labels: Mapping[str, str], value: float) -> str:
    within = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{within}}} {number(value)}" if within else f"{name} {number(value)}"


def number(value: float) -> str:
    """``5`` rather than ``5.0``."""
    return str(int(value)) if value == int(value) else repr(float(value))


def _head(name: str, type_: str, help_: str) -> list[str]:
    return [f"# HELP {name} {help_}", f"# TYPE {name} {type_}"]


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
