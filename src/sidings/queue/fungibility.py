"""Which of several flavors is better, and when the search for a better one ends (``spec.flavorFungibility``)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

TRY_NEXT_FLAVOR = "TryNextFlavor"
PREEMPTION_OVER_BORROWING = "PreemptionOverBorrowing"


class Fit(IntEnum):
    """How a flavor could serve a request; more is better."""

    NO_FIT = 0
    NO_CANDIDATES = 1
    """Only preemption would help, and there is nobody to preempt."""
    PREEMPT = 2
    """Somebody of the own queue would have to go."""
    RECLAIM = 3
    """Only others would, who use what is lent to them."""
    FIT = 4


class Grade(NamedTuple):
    """``borrowing`` is the level of ``borrowing.level``."""

    fit: Fit
    borrowing: int


BEST = Grade(Fit.FIT, 0)
WORST = Grade(Fit.NO_FIT, 1 << 30)


def better(a: Grade, b: Grade, fungibility: Mapping[str, str]) -> bool:
    """Whether ``a`` is preferred to ``b``. By default less disturbance counts first, then less borrowing."""
    if a.fit is Fit.NO_FIT or b.fit is Fit.NO_FIT:
        return a.fit is not Fit.NO_FIT
    if fungibility.get("preference") == PREEMPTION_OVER_BORROWING and a.borrowing != b.borrowing:
        return a.borrowing < b.borrowing
    if a.fit != b.fit:
        return a.fit > b.fit
    return a.borrowing < b.borrowing


def search_ends(grade: Grade, fungibility: Mapping[str, str]) -> bool:
    """Whether a flavor of this grade is taken without a look at the next one."""
    if grade.fit <= Fit.NO_CANDIDATES:
        return False
    if grade.fit is not Fit.FIT and fungibility.get("whenCanPreempt", TRY_NEXT_FLAVOR) == TRY_NEXT_FLAVOR:
        return False
    return not (grade.borrowing and fungibility.get("whenCanBorrow") == TRY_NEXT_FLAVOR)
