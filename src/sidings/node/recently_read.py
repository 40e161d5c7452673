"""Which logs have just been read, and how far: who attaches now goes on from there.

The newest kubectl reads the log and attaches right after it (``run --attach``, seen of 1.37), to show what a quick
container wrote before; older ones only attach. With a replay, the new one would show everything twice, without one,
the old ones would miss the beginning.
"""

from __future__ import annotations

from pathlib import Path

from sidings.clock import Clock
from sidings.node.logs import BEGINNING, Position

RECENT_SECONDS = 5.0


class RecentlyRead:
    """The logs that were read from the beginning to the end in the last seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[Path, tuple[float, Position]] = {}

    def note(self, log: Path, position: Position) -> None:
        """``log`` was just read up to ``position``."""
        now = self._clock.monotonic()
        self._known = {path: known for path, known in self._known.items() if known[0] > now - RECENT_SECONDS}
        self._known[log] = (now, position)

    def known(self, log: Path) -> Position:
        """How much of ``log`` its reader knows; nothing where that is long ago."""
        moment, position = self._known.get(log, (float("-inf"), BEGINNING))
        return position if moment > self._clock.monotonic() - RECENT_SECONDS else BEGINNING
