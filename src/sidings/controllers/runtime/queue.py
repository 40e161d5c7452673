"""The work queue: which keys to reconcile, and when.

A key is in the queue at most once, however many events name it, and is never worked on by two workers: one that comes
while it is being worked on is queued again afterwards. A failed key comes back after an exponential delay with jitter
(controller-runtime's 5 ms doubling to 1000 s); a key may also be asked for at a later time.
"""

from __future__ import annotations

import asyncio
import heapq
import random
from collections import OrderedDict

from sidings.api.objects import Key
from sidings.clock import Clock
from sidings.controllers.runtime.metrics import QueueFigures

BASE_DELAY = 0.005
MAX_DELAY = 1000.0
TIMER_RESOLUTION = 0.001
"""The shortest wait: a loop's timer may be coarser than a float, and a shorter one might never see its moment come."""


class WorkQueue:
    """Keys to be worked on, for one event loop."""

    def __init__(
        self, clock: Clock, rng: random.Random, *, base_delay: float = BASE_DELAY, max_delay: float = MAX_DELAY
    ) -> None:
        """``base_delay`` and ``max_delay`` bound the back-off of a key that keeps failing, in seconds."""
        self._clock = clock
        self._rng = rng
        self._base_delay = base_delay
        self._max_delay = max_delay
        self.figures: QueueFigures | None = None
        """What is observed, where somebody wants to know."""
        self._ready: OrderedDict[Key, float] = OrderedDict()
        """Since when keys wait for a worker."""
        self._working: dict[Key, float] = {}
        """Since when keys are worked on."""
        self._failing: set[Key] = set()
        self._again: set[Key] = set()
        self._later: list[tuple[float, Key]] = []
        self._due: dict[Key, float] = {}
        self._failures: dict[Key, int] = {}
        self._wake = asyncio.Event()

    def add(self, key: Key) -> None:
        """Work on ``key`` as soon as a worker is free."""
        if key in self._working:
            self._again.add(key)
        elif key not in self._ready:
            self._ready[key] = self._clock.monotonic()
            self._wake.set()
            if self.figures:
                self.figures.added()

    def add_after(self, key: Key, seconds: float) -> None:
        """Work on ``key`` in ``seconds``; an earlier wish for the same key wins."""
        if seconds <= 0:
            self.add(key)
            return
        due = self._clock.monotonic() + seconds
        if key in self._due and self._due[key] <= due:
            return
        self._due[key] = due
        heapq.heappush(self._later, (due, key))
        self._wake.set()

    def retry(self, key: Key) -> float:
        """Work on ``key`` again after its back-off; returns the delay in seconds."""
        if key in self._working:
            self._failing.add(key)
        if self.figures:
            self.figures.retried()
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        delay = min(self._base_delay * 2 ** min(failures, 64), self._max_delay) * (1 + self._rng.random() / 10)
        self.add_after(key, delay)
        return float(delay)

    def forget(self, key: Key) -> None:
        """The last work on ``key`` succeeded: its back-off starts anew."""
        self._failures.pop(key, None)

    async def get(self) -> Key:
        """The next key; the caller must call ``done`` when finished with it."""
        while True:
            self._promote()
            if self._ready:
                key, since = self._ready.popitem(last=False)
                now = self._working[key] = self._clock.monotonic()
                if self.figures:
                    self.figures.taken(now - since)
                if self._ready:
                    self._wake.set()
                return key
            self._wake.clear()
            await self._wait()

    def done(self, key: Key) -> None:
        since = self._working.pop(key)
        if self.figures:
            self.figures.worked(self._clock.monotonic() - since, failed=key in self._failing)
        self._failing.discard(key)
        if key in self._again:
            self._again.discard(key)
            self.add(key)

    def __len__(self) -> int:
        return len(self._ready)

    @property
    def idle(self) -> bool:
        """Nothing is ready and nothing is being worked on; delayed keys may still wait."""
        return not self._ready and not self._working

    def _promote(self) -> None:
        now = self._clock.monotonic()
        while self._later and self._later[0][0] <= now:
            due, key = heapq.heappop(self._later)
            if self._due.get(key) == due:
                del self._due[key]
                self.add(key)

    async def _wait(self) -> None:
        if not self._later:
            await self._wake.wait()
            return
        pause = max(self._later[0][0] - self._clock.monotonic(), TIMER_RESOLUTION)
        try:
            async with asyncio.timeout(pause):
                await self._wake.wait()
        except TimeoutError:
            pass
