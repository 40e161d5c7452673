import pytest

from sidings.queue.fungibility import BEST, WORST, Fit, Grade, better, search_ends

TRY = {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"}
STOP = {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "MayStopSearch"}


def test_less_disturbance_counts_before_less_borrowing_by_default() -> None:
    borrows, preempts = Grade(Fit.FIT, 1), Grade(Fit.PREEMPT, 0)
    assert better(borrows, preempts, TRY)
    assert better(preempts, borrows, {**TRY, "preference": "PreemptionOverBorrowing"})


def test_nothing_is_better_than_a_fit_and_nothing_worse_than_none() -> None:
    grades = [Grade(fit, level) for fit in Fit for level in (0, 1)]
    assert not any(better(grade, BEST, TRY) for grade in grades)
    assert not any(better(WORST, grade, TRY) for grade in grades)


@pytest.mark.parametrize(
    ("grade", "rules", "ends"),
    [
        (Grade(Fit.FIT, 0), TRY, True),
        (Grade(Fit.FIT, 1), TRY, False),
        (Grade(Fit.FIT, 1), STOP, True),
        (Grade(Fit.PREEMPT, 0), TRY, False),
        (Grade(Fit.RECLAIM, 0), STOP, True),
        (Grade(Fit.NO_CANDIDATES, 0), STOP, False),
        (Grade(Fit.NO_FIT, 0), STOP, False),
        (Grade(Fit.PREEMPT, 0), {}, False),
        (Grade(Fit.FIT, 1), {}, True),
    ],
)
def test_when_the_search_ends(grade: Grade, rules: dict[str, str], ends: bool) -> None:
    assert search_ends(grade, rules) is ends
