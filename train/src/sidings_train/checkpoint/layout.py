"""What lies where.

::

    step-00000200/1764531234567890-3fa2c1-1/   one attempt to write step 200; never touched again once it is there
        __0_0.distcp  __1_0.distcp             pieces of each rank, in the format of torch.distributed.checkpoint
        .metadata                              torch's index over the pieces
        manifest.json                          written last: sizes and sha256 of all the above

An attempt without a manifest is unfinished, whatever it holds. Nothing is renamed and nothing is overwritten, so two
runs that write at once (an old pod that has not noticed its end) cannot tear each other's files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MANIFEST = "manifest.json"
METADATA = ".metadata"  # torch's name, so that torch.distributed.checkpoint reads the folder without us
_NAME = re.compile(r"step-(\d{8,})/([^/]+)/([^/]+)")


@dataclass(frozen=True, order=True)
class Attempt:
    """One attempt to write one step. Later attempts sort later: their names begin with the time in microseconds."""

    step: int
    name: str

    def path(self, file: str = "") -> str:
        return f"step-{self.step:08d}/{self.name}/{file}"


def attempts(names: Iterable[str]) -> dict[Attempt, set[str]]:
    """The files of each attempt among ``names``; names of other shapes are somebody else's and left out."""
    found: dict[Attempt, set[str]] = {}
    for name in names:
        if match := _NAME.fullmatch(name):
            step, attempt, file = match.groups()
            found.setdefault(Attempt(int(step), attempt), set()).add(file)
    return found


def finished(found: dict[Attempt, set[str]]) -> list[Attempt]:
    """Attempts that have a manifest, newest first."""
    return sorted((attempt for attempt, files in found.items() if MANIFEST in files), reverse=True)
