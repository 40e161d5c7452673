from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidings_train.checkpoint.layout import MANIFEST, Attempt, attempts, finished
from sidings_train.checkpoint.retention import to_delete

WHOLE, OPEN = {"data", MANIFEST}, {"data"}


def steps_left(found: dict[Attempt, set[str]], **how: int) -> list[int]:
    gone = set(to_delete(found, **{"keep": 2, **how}))
    return sorted(
        attempt.step for attempt, files in found.items() if not {attempt.path(file) for file in files} <= gone
    )


def test_the_newest_stay() -> None:
    found = {Attempt(step, "a"): WHOLE for step in (100, 200, 300, 400)}
    assert steps_left(found) == [300, 400]
    assert steps_left(found, keep=1) == [400]


def test_multiples_stay_for_good() -> None:
    found = {Attempt(step, "a"): WHOLE for step in (100, 200, 300, 400, 500)}
    assert steps_left(found, keep=1, keep_every=200) == [200, 400, 500]


def test_an_older_attempt_of_the_same_step_goes() -> None:
    found = {Attempt(100, "1"): WHOLE, Attempt(100, "2"): WHOLE}
    assert to_delete(found, keep=2) == [Attempt(100, "1").path(MANIFEST), Attempt(100, "1").path("data")]


def test_unfinished_goes_once_something_later_is_whole() -> None:
    found = {Attempt(100, "a"): OPEN, Attempt(200, "a"): WHOLE, Attempt(300, "a"): OPEN}
    assert steps_left(found) == [200, 300]


def test_nothing_goes_while_nothing_is_whole() -> None:
    assert to_delete({Attempt(100, "a"): OPEN}, keep=1) == []


ATTEMPTS = st.dictionaries(
    st.builds(Attempt, st.integers(0, 30), st.sampled_from("abc")), st.sampled_from([WHOLE, OPEN]), max_size=12
)


@given(found=ATTEMPTS, keep=st.integers(1, 4), cut=st.integers(0, 40))
def test_wherever_deleting_stops_the_newest_whole_ones_are_whole(
    found: dict[Attempt, set[str]], keep: int, cut: int
) -> None:
    gone = to_delete(found, keep)[:cut]
    left = attempts({attempt.path(file) for attempt, files in found.items() for file in files} - set(gone))
    before, after = finished(found), finished(left)
    assert before[:1] == after[:1]
    assert all(left[attempt] == WHOLE for attempt in after)
    assert len({attempt.step for attempt in after}) >= min(keep, len({attempt.step for attempt in before}))
