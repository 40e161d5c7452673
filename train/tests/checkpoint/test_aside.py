"""Work beside the training: its result, its failure, and its thread, which is over when the result is there."""

from __future__ import annotations

import threading

import pytest

from sidings_train.checkpoint.aside import Aside


class Heavy:
    """Something that takes a while to let go, and tells when it is gone."""

    def __init__(self, gone: list[str]) -> None:
        self._gone = gone

    def __del__(self) -> None:
        threading.Event().wait(0.05)
        self._gone.append(threading.current_thread().name)


def test_what_the_work_held_is_gone_with_its_result() -> None:
    gone: list[str] = []
    enough = threading.Event()

    def begun() -> Aside[int]:
        held = Heavy(gone)
        return Aside(lambda: 1 if enough.wait() and held else 0)

    work = begun()
    enough.set()
    assert work.result() == 1
    assert gone == ["sidings-checkpoint"]


def test_it_goes_on_beside_and_its_failure_is_the_callers() -> None:
    enough = threading.Event()
    work = Aside(enough.wait)
    assert not work.done()
    enough.set()
    assert work.result() is True and work.done()
    failing = Aside(lambda: 1 // 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            failing.result()
