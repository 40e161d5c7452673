from __future__ import annotations

import torch.distributed as dist
from test_pace import Clock

from sidings_train.pace import Pace
from sidings_train.watch import Watch, Word, held_up_by

NAMES = ["pod-0", "pod-1", "pod-2"]
NOW = 1000.0


def at(step: int, since: float = 1.0, told: float = 1.0) -> Word:
    return Word(step, NOW - since, NOW - told)


def test_nobody_is_behind_while_all_are_at_the_same_step() -> None:
    assert held_up_by({0: at(7), 1: at(7), 2: at(7)}, NAMES, NOW) == ""


def test_who_is_behind_and_for_how_long() -> None:
    words = {0: at(8, 63), 1: at(7, 64), 2: at(8, 63)}
    assert held_up_by(words, NAMES, NOW) == "rank 1 (pod-1) is at step 7 for 64 s; the others are at step 8"


def test_who_is_silent_is_named_whatever_its_step() -> None:
    words = {0: at(8), 1: at(8, 90, 88), 2: None}
    assert held_up_by(words, NAMES, NOW) == "ranks 1 (pod-1), 2 (pod-2) are not heard of for 88 s"


def test_a_rank_that_never_spoke() -> None:
    assert held_up_by({0: at(8), 1: None}, NAMES, NOW) == "rank 1 (pod-1) is not heard of for the whole run"


def test_each_rank_reads_the_others_words() -> None:
    store = dist.HashStore()
    watches = [Watch(store, rank, NAMES[:2], patience=60) for rank in (0, 1)]
    for watch in watches:
        watch.start()
    try:
        watches[0].at(5)
        watches[0].tell()
        assert "rank 1 (pod-1) is at step 0" in watches[1].account()
    finally:
        for watch in watches:
            watch.stop()


def test_rank_0_says_who_is_slow() -> None:
    store, said = dist.HashStore(), []
    watches = [Watch(store, rank, NAMES[:2], 60, said.append) for rank in (0, 1)]
    clocks = [Clock(), Clock()]
    for watch, clock in zip(watches, clocks, strict=True):
        watch.pace = Pace(clock)
    for number in range(5):
        for watch, clock, own in ((watches[1], clocks[1], 0.3), (watches[0], clocks[0], 0.1)):
            clock.now += own
            with watch.pace.exchanging():
                clock.now += 0.4 - own
            watch.look()
            watch.tell()
        assert len(said) == (number >= 3)  # the first is start-up
    assert said[0].startswith("rank 1 (pod-1) is slow: 300 ms of its own work a step, the others 100 ms")
