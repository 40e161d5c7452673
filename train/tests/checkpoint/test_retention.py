from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidings_train.checkpoint.layout import MANIFEST, Attempt, attempts, finished
from sidings_train.checkpoint.retention import to_delete

WHOLE, OPEN = {"data", MANIFEST}, {"data"}


def steps_left(found: dict[Attempt, set[str]], written: int, **how: int) -> list[int]:
    gone = set(to_delete(found, written, **{"keep": 2, **how}))
    return sorted(
        attempt.step for attempt, files in found.items() if not {attempt.path(file) for file in files} <= gone
    )


def test_the_newest_stay() -> None:
    found = {Attempt(step, "a"): WHOLE for step in (100, 200, 300, 400)}
    assert steps_left(found, 400) == [300, 400]
    assert steps_left(found, 400, keep=1) == [400]
    assert steps_left(found, 400, keep=4) == steps_left(found, 400, keep=5) == [100, 200, 300, 400]


def test_multiples_stay_for_good() -> None:
    found = {Attempt(step, "a"): WHOLE for step in (100, 200, 300, 400, 500)}
    assert steps_left(found, 500, keep=1, keep_every=200) == [200, 400, 500]
    assert steps_left(found, 500, keep=1, keep_every=1) == [100, 200, 300, 400, 500]
    assert steps_left(found, 500, keep=1, keep_every=1000) == [500]


def test_an_older_attempt_of_the_same_step_goes() -> None:
    found = {Attempt(100, "1"): WHOLE, Attempt(100, "2"): WHOLE}
    assert to_delete(found, 100, keep=2) == [Attempt(100, "1").path(MANIFEST), Attempt(100, "1").path("data")]


def test_unfinished_goes_once_something_later_is_whole() -> None:
    found = {Attempt(100, "a"): OPEN, Attempt(200, "a"): WHOLE, Attempt(300, "a"): OPEN}
    assert steps_left(found, 200) == [200, 300]


def test_what_was_just_written_stays_whatever_lies_beyond() -> None:
    found = {Attempt(step, "a"): WHOLE for step in (100, 150, 400)}  # 400 is torn: the run went back to 100
    assert steps_left(found, 150, keep=1) == [150, 400]
    assert steps_left({**found, Attempt(400, "b"): WHOLE}, 400, keep=1) == [400]


ATTEMPTS = st.dictionaries(
    st.builds(Attempt, st.integers(0, 30), st.sampled_from("abc")), st.sampled_from([WHOLE, OPEN]), max_size=12
)


@given(found=ATTEMPTS, written=st.integers(0, 30), keep=st.integers(1, 4), cut=st.integers(0, 40))
def test_wherever_deleting_stops_the_newest_whole_ones_are_whole(
    found: dict[Attempt, set[str]], written: int, keep: int, cut: int
) -> None:
    found[Attempt(written, "d")] = WHOLE
    gone = to_delete(found, written, keep)[:cut]
    left = attempts({attempt.path(file) for attempt, files in found.items() for file in files} - set(gone))
    before, after = finished(found), finished(left)
    assert Attempt(written, "d") in after
    assert [attempt for attempt in after if attempt.step > written] == [a for a in before if a.step > written]
    assert all(left[attempt] == WHOLE for attempt in after)
    steps, kept = ({a.step for a in each if a.step <= written} for each in (before, after))
    assert len(kept) >= min(keep, len(steps))
