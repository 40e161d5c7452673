"""Semantic versions: ``semver('1.2.3').isLessThan(semver('1.3.0-rc.1'))``, ordered as semver.org says.

As ``k8s.io/apiserver/pkg/cel/library/semverlib.go`` (v1.36); with ``true`` as second argument ``v1.2`` and ``01.2.3``
are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import total_ordering
from typing import Any

from sidings.api.cel.conversions import method_of
from sidings.api.cel.errors import EvaluationError

_NUMBER = "(?:0|[1-9][0-9]*)"
_IDENTIFIER = "[0-9A-Za-z-]+"
_VERSION = re.compile(
    rf"(?P<core>{_NUMBER}\.{_NUMBER}\.{_NUMBER})"
    rf"(?:-(?P<pre>{_IDENTIFIER}(?:\.{_IDENTIFIER})*))?(?:\+{_IDENTIFIER}(?:\.{_IDENTIFIER})*)?"
)
_LOOSE = re.compile(r"v?(?P<core>[0-9]+(?:\.[0-9]+){0,2})(?P<rest>.*)", re.DOTALL)


@total_ordering
@dataclass(frozen=True)
class Version:
    core: tuple[int, int, int]
    pre: tuple[str, ...]
    """What comes before the release: it makes a version smaller."""

    def _order(self) -> tuple[object, ...]:
        parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in self.pre]
        return (self.core, not self.pre, parts)

    def __lt__(self, other: Version) -> bool:
        return self._order() < other._order()


def read(text: str, *, normalize: bool = False) -> Version:
    """Raises ValueError."""
    if normalize and (loose := _LOOSE.fullmatch(text)):
        numbers = [str(int(part)) for part in loose["core"].split(".")]
        text = ".".join([*numbers, "0", "0"][:3]) + loose["rest"]
    found = _VERSION.fullmatch(text)
    pre = tuple(found["pre"].split(".")) if found and found["pre"] else ()
    if found is None or any(part.isdigit() and part != str(int(part)) for part in pre):
        raise ValueError(f"{text!r} is no semantic version")
    major, minor, patch = map(int, found["core"].split("."))
    return Version((major, minor, patch), pre)


def _read(text: Any, normalize: Any = False) -> Version:
    if not isinstance(text, str) or not isinstance(normalize, bool):
        raise EvaluationError("no such overload")
    try:
        return read(text, normalize=normalize)
    except ValueError as error:
        raise EvaluationError(f"type conversion error from string to Semver: {error}") from error


def _is_version(text: Any, normalize: Any = False) -> bool:
    try:
        _read(text, normalize)
    except EvaluationError as error:
        if isinstance(error.__cause__, ValueError):
            return False
        raise
    return True


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("semver", 1): _read,
    ("semver", 2): _read,
    ("isSemver", 1): _is_version,
    ("isSemver", 2): _is_version,
    ("major", 1): method_of(Version, lambda version: version.core[0]),
    ("minor", 1): method_of(Version, lambda version: version.core[1]),
    ("patch", 1): method_of(Version, lambda version: version.core[2]),
}
