"""A clock whose wall time jumps while its monotonic time does not, as ``ntpd`` and suspended laptops make them."""

from __future__ import annotations

from datetime import datetime, timedelta

from sidings.clock import LoopClock


class JumpingClock(LoopClock):
    """The virtual time of the event loop, with an offset for everybody who asks what time of day it is."""

    def __init__(self) -> None:
        super().__init__()
        self._offset = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self._offset)

    def jump(self, seconds: float) -> None:
        self._offset += seconds
