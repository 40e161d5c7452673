"""Controllers step back while clients wait.

API and controllers share one event loop, so a burst of creations and the work that it makes for controllers compete: a
suspended TrainJob is one write of its user and a dozen of controllers. In a cluster the controllers' client-side rate
limits (kube-controller-manager: 20 a second) keep the API free; here nothing limits them, until clients wait.

While ``BUSY_REQUESTS`` or more are being served, or ``BUSY_RATE`` a second have come of late, a reconciliation begins
only each ``STEP_SECONDS``. A rate tells what the number cannot: a few clients that write one after the other are seldom
all in the server at once, since they wait at its door while controllers work. Controllers make progress however long
the burst lasts, and work as fast as they can as soon as it ends.
"""

from __future__ import annotations

from typing import Protocol

from sidings.clock import Clock
from sidings.controllers.runtime.queue import TIMER_RESOLUTION

BUSY_REQUESTS = 4
BUSY_RATE = 60.0
WINDOW_SECONDS = 0.1
"""Over which the rate is taken: what a person or a script with one command at a time does is not busy for longer."""
STEP_SECONDS = 0.02
LOOK_SECONDS = 0.05
"""How often who waits for its turn looks whether it still has to."""


class Requests(Protocol):
    """What the server knows of its requests, streams aside."""

    @property
    def in_flight(self) -> int:
        """How many are being served now."""

    @property
    def begun(self) -> int:
        """How many there were since the start."""


class Pace:
    """Gives turns to the workers of all controllers."""

    def __init__(self, requests: Requests, clock: Clock) -> None:
        self._requests = requests
        self._clock = clock
        self._next = 0.0
        self._rate = 0.0
        self._since, self._begun = clock.monotonic(), requests.begun

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
        now, begun = self._clock.monotonic(), self._requests.begun
        elapsed = now - self._since
        if elapsed >= WINDOW_SECONDS:
            # Nobody asked for long: what came in between says nothing about now.
            self._rate = (begun - self._begun) / elapsed if elapsed < 2 * WINDOW_SECONDS else 0.0
            self._since, self._begun = now, begun
        return self._requests.in_flight >= BUSY_REQUESTS or self._rate >= BUSY_RATE
