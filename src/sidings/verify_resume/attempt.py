"""One start of the script, wherever it runs: how far it is, and the blow that ends it.

What is started is a ``Running``: processes of torchrun here (``torchrun``) or pods of an engine (``job_set``). Here is
what is the same for both: to wait for a step or an end, with limits, and to say what went wrong.
"""

from __future__ import annotations

import itertools
import random
import re
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from sidings.verify_resume.errors import ELSEWHERE, NoSpace, PodsWait, ScriptFailed, VerificationError
from sidings.verify_resume.interruptions import Manner
from sidings.verify_resume.losses import Told
from sidings.verify_resume.places import Place

_PAUSE = 0.005  # seconds between two looks at the losses: steps may take as little
_TAIL_LINES = 15
_NO_ROOM = 1 << 20  # bytes: what Python and torch cannot even print or make their temporary folders in
_TORCHRUNS = re.compile(r"[EW]\d{4} [\d:.]+ \d+ \S*torch/distributed/elastic/")
"""What torchrun says after its workers: long, and of the script no more than its exit code."""


class Limits(NamedTuple):
    """In seconds: until all of a start runs, between two signs of life, and from the one to its end; None is no limit.

    A first step may be compiled and the data be made before it, in silence.
    """

    begin: float = 300.0
    silence: float = 900.0
    whole: float | None = None


USUAL = Limits()


class Waiting(NamedTuple):
    """What a start waits for before all of it runs, ``""`` where that is usual, why, and the command that mends it."""

    what: str = ""
    cause: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.what, self.cause)))


class Running(Protocol):
    """A script that was started. ``told`` are its losses and ``output`` the file with what it prints."""

    told: Told
    output: Path

    def waiting(self) -> Waiting | None:
        """Why not all of it runs yet; None from when it does. Cheap enough to be asked often."""

    def code(self) -> int | None:
        """Its exit code: not 0 for an error or an interruption; None while it runs. Cheap enough to be asked often."""

    def strike(self, manner: Manner, rng: random.Random, wait: Callable[[], None]) -> str:
        """Do it, and say what was done. ``wait`` passes a moment, and raises where the start takes too long."""

    def close(self) -> None:
        """Leave nothing of this start running."""


class Launcher(Protocol):
    """Where a script runs. ``manners`` are the interruptions that are possible there."""

    @property
    def manners(self) -> Sequence[Manner]: ...

    def start(self, place: Place, number: int) -> Running:
        """Start it in ``place`` for the ``number``-th time, from 1."""

    def close(self) -> None:
        """Take away whatever was made for the starts."""


class Attempt:
    """Start ``number`` of the script. ``after`` says what ended the start before, ``say`` takes what it waits for.

    A context manager; at its end nothing of the start runs.
    """

    def __init__(
        self, running: Running, number: int, say: Callable[[str], None], limits: Limits = USUAL, after: str = ""
    ) -> None:
        self._running, self._number, self._say, self._limits, self._after = running, number, say, limits, after
        self._began = self._heard_at = time.monotonic()
        self._has_begun = False
        self._waits = Waiting()
        self._heard = 0
        self.told = running.told

    def __enter__(self) -> Attempt:
        return self

    def __exit__(self, *error: object) -> None:
        self._running.close()

    def reaches(self, step: int) -> bool:
        """Wait until ``step`` is done; False if the script came to its end before. Raises ``ScriptFailed``."""
        while not self.told.reaches(step):
            if (code := self._running.code()) is not None:
                if code:
                    raise self._failed("ended with an error")
                return False
            self._wait_a_little()
        return self._running.code() is None

    def end(self) -> None:
        """Wait for the script's own end. Raises ``ScriptFailed`` if that is an error."""
        if self._wait():
            raise self._failed("ended with an error")

    def interrupt(self, manner: Manner, rng: random.Random) -> tuple[bool, str]:
        """(whether the script was ended by it, what was done). Raises ``ScriptFailed`` if it does not end."""
        done = self._running.strike(manner, rng, self._wait_a_little)
        return self._wait() != 0, done

    def _wait(self) -> int:
        while (code := self._running.code()) is None:
            self._wait_a_little()
        return code

    def _wait_a_little(self) -> None:
        now = time.monotonic()
        if not self._has_begun:
            self._wait_to_begin(now)
        elif self._limits.whole is not None and now - self._began > self._limits.whole:
            raise self._failed(f"did not end within {self._limits.whole:.0f} s")
        elif (heard := self.told.size) != self._heard:
            self._heard, self._heard_at = heard, now
        elif now - self._heard_at > self._limits.silence:
            raise self._failed(f"neither printed anything nor told a loss for {self._limits.silence:.0f} s")
        time.sleep(_PAUSE)

    def _wait_to_begin(self, now: float) -> None:
        if (waits := self._running.waiting()) is None:
            self._has_begun, self._began, self._heard_at = True, now, now
            return
        if waits.what and waits.what != self._waits.what:
            self._say(f"start {self._number} waits: {waits}")
        self._waits = waits
        if now - self._began > self._limits.begin:
            raise PodsWait(
                f"start {self._number} of the script did not run within {self._limits.begin:.0f} s",
                cause=str(waits) or "its pods are not there, and no reason is known",
                remedy=waits.remedy or "sidings status",
            )

    def _failed(self, what: str) -> VerificationError:
        output = self._running.output
        start = f"start {self._number} of the script{self._after and f', after {self._after},'}"
        text = output.read_text(errors="replace") if output.exists() else ""
        return failure(f"{start} {what}", text, output, shutil.disk_usage(output.parent).free)


def failure(what: str, printed: str, output: Path, free: int) -> VerificationError:
    """The error of a start that ``printed`` so much to ``output``, on a disk with so many bytes left."""
    lines = printed.splitlines()
    own = list(itertools.takewhile(lambda line: not _TORCHRUNS.match(line), lines)) or lines
    told = "\n    ".join(["the end of its output:", *own[-_TAIL_LINES:]]) if own else "it printed nothing"
    if free < _NO_ROOM:
        return NoSpace(f"{what}; the disk of {output.parent} is full", cause=told, remedy=ELSEWHERE)
    return ScriptFailed(what, cause=told, remedy=f"less {output}")
