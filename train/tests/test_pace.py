from __future__ import annotations

import pytest

from sidings_train.pace import Pace, Share, Stragglers, slow

NAMES = ["pod-0", "pod-1", "pod-2", "pod-3"]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def step(pace: Pace, clock: Clock, own: float, waiting: float) -> None:
    clock.now += own
    with pace.exchanging():
        clock.now += waiting


def test_a_step_is_ones_own_work_and_the_exchange() -> None:
    clock = Clock()
    pace = Pace(clock)
    step(pace, clock, 100, 5)  # start-up
    assert pace.take() is None
    step(pace, clock, 2, 1)
    step(pace, clock, 4, 3)
    clock.now += 50
    assert pace.take() == Share(3, 2)
    assert pace.take() is None
    step(pace, clock, 0, 1)
    assert pace.take() == Share(50, 1)


def test_an_exchange_begins_once() -> None:
    clock = Clock()
    pace = Pace(clock)
    step(pace, clock, 0, 0)
    pace.begins()
    clock.now += 2
    pace.begins()
    clock.now += 1
    pace.ends()
    pace.ends()
    assert pace.take() == Share(0, 3)


@pytest.mark.parametrize(
    ("shares", "found"),
    [
        ([Share(0.010, 0.002)] * 4, {}),
        ([Share(0.010, 0.012), Share(0.020, 0.002)], {1: 0.010}),
        ([Share(0.010, 0.012), Share(0.010, 0.012), Share(0.012, 0.010), Share(0.020, 0.002)], {3: 0.010}),
        ([Share(0.012, 0.002), Share(0.010, 0.004)], {}),  # a fifth slower
        ([Share(0.001, 0.050), Share(0.002, 0.049)], {}),  # twice as slow, in what is nothing of a step
    ],
)
def test_who_is_waited_for(shares: list[Share], found: dict[int, float]) -> None:
    assert slow(dict(enumerate(shares))) == found


FAST, LATE = {0: Share(0.016, 0.030), 1: Share(0.016, 0.030)}, {0: Share(0.016, 0.030), 1: Share(0.034, 0.012)}


def test_it_is_said_after_several_looks_in_a_row_and_once() -> None:
    stragglers = Stragglers(NAMES[:2])
    said = [stragglers.look(shares) for shares in (LATE, LATE, FAST, LATE, LATE, LATE, LATE, FAST, LATE, LATE, LATE)]
    assert [number for number, sentences in enumerate(said) if sentences] == [5]
    assert said[5] == [
        "rank 1 (pod-1) is slow: 34 ms of its own work a step, the others 16 ms, and all wait for it: look at its "
        "data, its CPU limit and what else its node runs"
    ]


def test_seconds_are_said_as_such() -> None:
    stragglers = Stragglers(NAMES[:2])
    late = {0: Share(0.9996, 2.0), 1: Share(3.0, 0.25)}
    assert "3.0 s of its own work a step, the others 1.0 s" in [stragglers.look(late) for _ in range(3)][-1][0]
