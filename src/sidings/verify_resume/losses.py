"""The losses that a run tells, step by step.

A script tells them in the file that ``$LOSS_LOG`` names: a line ``STEP RANK LOSS`` per step and rank, the loss with all
its digits (sidings_train's ``TrainState.advance`` does so). Of a script that does not, lines of its output count that
say ``step N ... loss X``. An interrupted run does the steps after its newest checkpoint again, and tells each time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

VARIABLE = "LOSS_LOG"
_PRINTED = re.compile(r"\bstep[\s=:#]*(\d+)\b.*?\bloss[\s=:]*([-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|nan|inf))", re.IGNORECASE)
_WORDS = 3


class Loss(NamedTuple):
    """One loss as it was written; ``rank`` is -1 where a script prints it without saying whose it is."""

    step: int
    rank: int
    text: str


def logged(line: str) -> Loss | None:
    """A line of the loss log."""
    words = line.split()
    if len(words) != _WORDS or not (words[0].isdecimal() and words[1].isdecimal()):
        return None
    return Loss(int(words[0]), int(words[1]), words[2])


def printed(line: str) -> Loss | None:
    """A line of the script's output."""
    found = _PRINTED.search(line)
    return Loss(int(found[1]), -1, found[2]) if found else None


class Told:
    """The losses of one start, read while it runs. The log counts as soon as there is one, else what is printed.

    What is in the files already is another start's.
    """

    def __init__(self, log: Path, output: Path) -> None:
        self._logged, self._printed = _Losses(log, logged), _Losses(output, printed)

    @property
    def size(self) -> int:
        """Of all that the start has written so far, in bytes: it grows with every sign of life."""
        return self._logged.size + self._printed.size

    def read(self) -> list[Loss]:
        """All losses told so far."""
        return self._read().all

    def reaches(self, step: int) -> bool:
        """Whether a loss of ``step`` or of a later one was told. Costs what is new: it is asked all the time."""
        return self._read().furthest >= step

    def _read(self) -> _Losses:
        self._logged.read()
        self._printed.read()
        return self._logged if self._logged.all else self._printed


class _Losses:
    """Those of one file, of whose lines ``parse`` makes them; ``furthest`` is the highest step, -1 before the first."""

    def __init__(self, path: Path, parse: Callable[[str], Loss | None]) -> None:
        self._lines, self._parse = _Lines(path), parse
        self.all: list[Loss] = []
        self.furthest = -1

    @property
    def size(self) -> int:
        return self._lines.size

    def read(self) -> None:
        new = [loss for line in self._lines.new() if (loss := self._parse(line)) is not None]
        self.all += new
        self.furthest = max([self.furthest, *(loss.step for loss in new)])


class _Lines:
    """Whole lines of a file that grows; a line that was cut off by a kill is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = self.size

    @property
    def size(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

    def new(self) -> list[str]:
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._position)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._position += len(whole)
        return whole.decode(errors="replace").splitlines()
