"""One start of the script, wherever it runs: how far it is, and the blow that ends it.

What is started is a ``Running``: processes of torchrun here (``torchrun``) or pods of an engine (``job_set``). Here is
what is the same for both: to wait for a step or an end, with a limit, and to say what went wrong.
"""

from __future__ import annotations

import itertools
import random
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from sidings.verify_resume.errors import ScriptFailed
from sidings.verify_resume.interruptions import Manner
from sidings.verify_resume.losses import Told
from sidings.verify_resume.places import Place

_PAUSE = 0.005  # seconds between two looks at the losses: steps may take as little
_TAIL_LINES = 15
_TORCHRUNS = re.compile(r"[EW]\d{4} [\d:.]+ \d+ \S*torch/distributed/elastic/")
"""What torchrun says after its workers: long, and of the script no more than its exit code."""


class Running(Protocol):
    """A script that was started. ``told`` are its losses and ``output`` the file with what it prints."""

    told: Told
    output: Path

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
    """Start ``number`` of the script. ``limit`` is the time after which it counts as hung, in seconds.

    ``after`` says what ended the start before. A context manager; at its end nothing of the start runs.
    """

    def __init__(self, running: Running, number: int, limit: float | None = None, after: str = "") -> None:
        self._running, self._number, self._limit, self._after = running, number, limit, after
        self._began = time.monotonic()
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
        if self._limit is not None and time.monotonic() - self._began > self._limit:
            raise self._failed(f"did not end within {self._limit:.0f} s")
        time.sleep(_PAUSE)

    def _failed(self, what: str) -> ScriptFailed:
        output = self._running.output
        lines = output.read_text(errors="replace").splitlines() if output.exists() else []
        own = list(itertools.takewhile(lambda line: not _TORCHRUNS.match(line), lines)) or lines
        told = "\n    ".join(["the end of its output:", *own[-_TAIL_LINES:]])
        start = f"start {self._number} of the script{self._after and f', after {self._after},'}"
        return ScriptFailed(f"{start} {what}", cause=told, remedy=f"less {output}")
