"""What is waited for, how long, and what is said meanwhile."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from sidings.verify_resume.attempt import Attempt, Limits, Waiting, failure
from sidings.verify_resume.errors import NoSpace, PodsWait, ScriptFailed
from sidings.verify_resume.interruptions import Manner
from sidings.verify_resume.losses import Told

NEVER = 600.0


class Scripted:
    """A start that waits for what ``waits`` gives, one after the other, and then runs on for so many looks."""

    def __init__(self, folder: Path, waits: list[Waiting], looks: int = 10**9, code: int = 0) -> None:
        self.output = folder / "output"
        self.told = Told(folder / "losses", self.output)
        self.waits, self.looks, self.exit_code, self.closed = waits, looks, code, False

    def waiting(self) -> Waiting | None:
        if not self.waits:
            return None
        return self.waits.pop(0) if len(self.waits) > 1 else self.waits[0]

    def code(self) -> int | None:
        self.looks -= 1
        return None if self.looks >= 0 else self.exit_code

    def strike(self, manner: Manner, rng: random.Random, wait: Callable[[], None]) -> str:
        raise AssertionError("nobody asked for it")

    def close(self) -> None:
        self.closed = True


def test_pods_that_never_run_are_given_up_with_the_reason(tmp_path: Path) -> None:
    said: list[str] = []
    quota = Waiting("no pods", "quota is used up", "kubectl edit quota")
    start = Scripted(tmp_path, [Waiting(), Waiting("no node is ready"), quota])
    with pytest.raises(PodsWait) as caught, Attempt(start, 3, said.append, Limits(begin=0.2)) as attempt:
        attempt.end()
    assert said == ["start 3 waits: no node is ready", "start 3 waits: no pods: quota is used up"]
    assert (caught.value.what, caught.value.cause, caught.value.remedy) == (
        "start 3 of the script did not run within 0 s",
        "no pods: quota is used up",
        "kubectl edit quota",
    )
    assert start.closed


def test_a_script_without_a_sign_of_life_is_given_up(tmp_path: Path) -> None:
    start = Scripted(tmp_path, [])
    with pytest.raises(ScriptFailed) as caught, Attempt(start, 1, print, Limits(silence=0.1)) as attempt:
        attempt.end()
    assert "neither printed anything nor told a loss for 0 s" in caught.value.what
    assert caught.value.cause == "it printed nothing"


def test_a_script_that_hangs_is_given_up_and_one_that_had_to_wait_is_not(tmp_path: Path) -> None:
    start = Scripted(tmp_path, [])
    with pytest.raises(ScriptFailed, match="did not end within 0 s"):
        Attempt(start, 2, print, Limits(whole=0.1), "SIGTERM").end()
    waits: list[Waiting] = [Waiting("a queue")]
    waiting = Scripted(tmp_path, waits)
    told: list[str] = []

    def say(text: str) -> None:
        told.append(text)
        waits.clear()  # it runs from here on

    waiting.looks = 3
    Attempt(waiting, 2, say, Limits(NEVER, NEVER, NEVER)).end()
    assert told == ["start 2 waits: a queue"]


def test_a_full_disk_is_said_and_not_only_what_could_still_be_printed() -> None:
    usual = failure("start 1 ended", "one\ntwo\n", Path("/runs/output"), 10**9)
    assert isinstance(usual, ScriptFailed)
    assert (usual.cause, usual.remedy) == ("the end of its output:\n    one\n    two", "less /runs/output")
    full = failure("start 1 ended", "", Path("/runs/output"), 4096)
    assert isinstance(full, NoSpace)
    assert (full.what, full.cause) == ("start 1 ended; the disk of /runs is full", "it printed nothing")
