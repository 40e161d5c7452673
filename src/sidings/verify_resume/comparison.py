"""What the losses of two runs say: where they part, what of them was never resumed, and which cannot be judged at all.

Equal losses prove nothing where the interrupted run began anew each time, or where they are NaN: these are told apart.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sidings.verify_resume.losses import Loss

_LATER_STEPS = 2
"""Ranks that print their losses may be a step apart: the first step once more after so many others is another count."""


@dataclass(frozen=True)
class Difference:
    """The first step at which two runs part; ``attempt`` counts the interrupted run's starts from 1, 0 is any."""

    step: int
    rank: int
    uninterrupted: str
    interrupted: str
    attempt: int


def first_difference(uninterrupted: Iterable[Loss], attempts: Sequence[Sequence[Loss]]) -> Difference | None:
    """Where ``attempts``, the starts of the interrupted run in their order, tell another loss first; None if nowhere.

    Each telling of a step counts, not only the last one, and a step that is told in one run only is a difference. One
    of the first start comes before all others: nothing had been interrupted yet.
    """
    expected: dict[tuple[int, int], set[str]] = {}
    for loss in uninterrupted:
        expected.setdefault((loss.step, loss.rank), set()).add(loss.text)
    found, seen = [], set()
    for number, attempt in enumerate(attempts, 1):
        for loss in attempt:
            place = (loss.step, loss.rank)
            seen.add(place)
            if loss.text not in expected.get(place, ()):
                wanted = " or ".join(sorted(expected.get(place, {"nothing"})))
                found.append(Difference(loss.step, loss.rank, wanted, loss.text, number))
    for place in expected.keys() - seen - _cut_off(expected.keys(), attempts):
        found.append(Difference(*place, " or ".join(sorted(expected[place])), "nothing", 0))
    return min(found, key=lambda one: (one.attempt != 1, one.step, one.attempt, one.rank), default=None)


def _cut_off(expected: Iterable[tuple[int, int]], attempts: Sequence[Sequence[Loss]]) -> set[tuple[int, int]]:
    """Steps that a rank may have done and saved, and was killed before it told their loss: the one after the last that
    it told, if its next start goes on right behind that. Had it not been done, all that follows would differ."""
    steps = defaultdict(list)
    for step, rank in sorted(expected):
        steps[rank].append(step)
    cut = set()
    for rank, of_rank in steps.items():
        following = dict(zip([-1, *of_rank], of_rank, strict=False))
        told = [[loss.step for loss in attempt if loss.rank == rank] for attempt in attempts]
        for before, after in itertools.pairwise(told):
            untold = following.get(max(before, default=-1))
            if untold is not None and after and min(after) == following.get(untold):
                cut.add((untold, rank))
    return cut


def gone_on(uninterrupted: Sequence[Loss], attempts: Sequence[Sequence[Loss]]) -> int:
    """How many starts after the first began behind the first step: only they have read a checkpoint back."""
    first = min(loss.step for loss in uninterrupted)
    return sum(min(loss.step for loss in attempt) > first for attempt in attempts[1:] if attempt)


def lost_from(uninterrupted: Sequence[Loss]) -> int | None:
    """The step from which on all losses are NaN or infinite; None where the last step has one that is neither.

    A loss here and there may be: with mixed precision such a step is left out.
    """
    after = max((loss.step for loss in uninterrupted if _is_finite(loss)), default=-1)
    return min((loss.step for loss in uninterrupted if loss.step > after), default=None)


def _is_finite(loss: Loss) -> bool:
    """Digits may be of any kind, such as ``float.hex``'s."""
    try:
        return math.isfinite(float(loss.text))
    except ValueError:
        return True


def is_counted_anew(uninterrupted: Sequence[Loss]) -> bool:
    """Whether the count of steps begins again within the run, as one within each epoch does."""
    later: dict[int, set[int]] = defaultdict(set)
    first = {loss.rank: loss.step for loss in reversed(uninterrupted)}
    for loss in uninterrupted:
        if loss.step != first[loss.rank]:
            later[loss.rank].add(loss.step)
        elif len(later[loss.rank]) >= _LATER_STEPS:
            return True
    return False
