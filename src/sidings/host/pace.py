"""Controllers step back while clients wait.

API and controllers share one event loop, so a burst of creations and the work that it makes for controllers compete: a
suspended TrainJob is one write of its user and a dozen of controllers. In a cluster the controllers' client-side rate
limits (kube-controller-manager: 20 a second) keep the API free; here nothing limits them, until clients wait.

While ``BUSY_REQUESTS`` or more are being served, a reconciliation begins only each ``STEP_SECONDS``. Controllers make
progress however long the burst lasts, and work as fast as they can as soon as it ends.
"""

from __future__ import annotations

from collections.abc import Callable

from sidings.clock import Clock
from sidings.controllers.runtime.queue import TIMER_RESOLUTION

BUSY_REQUESTS = 4
STEP_SECONDS = 0.02
LOOK_SECONDS = 0.05
"""How often who waits for its turn looks whether it still has to."""


class Pace:
    """Gives turns to the workers of all controllers. ``in_flight``: requests that are being served now."""

    def __init__(self, in_flight: Callable[[], int], clock: Clock) -> None:
        self._in_flight = in_flight
        self._clock = clock
        self._next = 0.0

    async def turn(self) -> None:
        """Returns when the caller may begin: at once, unless clients wait."""
        if not self._busy():
            return
        mine = max(self._next, self._clock.monotonic())
        self._next = mine + STEP_SECONDS
        while self._busy() and (left := mine - self._clock.monotonic()) > 0:
            await self._clock.sleep(max(min(left, LOOK_SECONDS), TIMER_RESOLUTION))
        if not self._busy():
            self._next = 0.0

    def _busy(self) -> bool:
        return self._in_flight() >= BUSY_REQUESTS
