"""A controller that ends by a mistake is run again, and takes nothing else with it.

``Controller._work`` survives a bug that one object meets; this is for what remains: a watch, a loop of its own. In a
cluster the process of a controller manager ends there and its kubelet starts it again, with the same back-off. Each
controller looks at everything first when it runs, so nothing that happened meanwhile is missed.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import NoReturn

from sidings.clock import Clock

log = logging.getLogger(__name__)

FIRST_DELAY, LONGEST_DELAY = 1.0, 60.0
STABLE_SECONDS = 300.0
"""Who ran for so long begins with the first delay again."""


async def keep_running(name: str, run: Callable[[], Awaitable[None]], clock: Clock) -> NoReturn:
    """Until cancelled. ``run`` is what should never return."""
    delay = FIRST_DELAY
    while True:
        began = clock.monotonic()
        bug: Exception | None = None
        try:
            await run()
        except Exception as error:  # whatever it is, the controllers beside it would end with it
            bug = error
        if clock.monotonic() - began > STABLE_SECONDS:
            delay = FIRST_DELAY
        how = "ended" if bug is None else "failed unexpectedly"
        log.error("%s %s, again in %.0f s", name, how, delay, exc_info=bug)
        await clock.sleep(delay)
        delay = min(2 * delay, LONGEST_DELAY)
