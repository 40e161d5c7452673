"""Threads that let go of what they carry are waited for; those that sleep, and all others, are not."""

from __future__ import annotations

from pathlib import Path

from two_ranks import Pair

import sidings_train
from sidings_train import idle_threads
from sidings_train.idle_threads import NAME, Look, idle


def thread(tasks: Path, number: int, state: str, switches: int, name: str = NAME) -> None:
    folder = tasks / str(number)
    folder.mkdir(exist_ok=True)
    (folder / "comm").write_text(f"{name}\n")
    told = {"Name": name, "State": state, "voluntary_ctxt_switches": switches, "nonvoluntary_ctxt_switches": 1}
    (folder / "status").write_text("".join(f"{field}:\t{value}\n" for field, value in told.items()))


def test_who_runs_or_has_run_is_not_idle() -> None:
    asleep = Look(True, 7)
    assert idle({"1": asleep}, {"1": asleep})
    assert idle({"1": asleep, "2": asleep}, {"1": asleep})  # 2 has ended
    for before, now in ((Look(False, 7), Look(False, 7)), (Look(True, 6), asleep)):
        assert not idle({"1": before}, {"1": now})
    assert not idle({}, {"1": asleep})  # not seen before


def test_a_thread_that_waits_for_a_core_is_waited_for(tmp_path: Path) -> None:
    states = iter([("R (running)", 3), ("R (running)", 3), ("S (sleeping)", 4), ("S (sleeping)", 4)])
    paused = []

    def pause() -> None:
        paused.append(1)
        thread(tmp_path, 2, *next(states))

    thread(tmp_path, 1, "R (running)", 9, name="python")
    thread(tmp_path, 2, "R (running)", 3)
    assert idle_threads.wait(tmp_path, pause)
    assert len(paused) == 4


def test_one_that_never_sleeps_keeps_nobody_for_ever(tmp_path: Path) -> None:
    thread(tmp_path, 1, "R (running)", 1)
    assert not idle_threads.wait(tmp_path, lambda: None)


def test_a_system_without_such_files(tmp_path: Path) -> None:
    assert idle_threads.wait(tmp_path / "none", lambda: None)


def gloos_threads() -> tuple[int, bool]:
    with sidings_train.start() as world:
        world.any(True)
        return len(idle_threads.looks(idle_threads.TASKS)), idle_threads.wait()


def test_torch_calls_them_so(pair: Pair) -> None:
    for outcome in pair.run(gloos_threads):
        count, idle_now = outcome.result
        assert count > 0 and idle_now
