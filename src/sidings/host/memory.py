"""When Python's garbage collector runs: often and briefly, and at length only when nobody asks for anything.

With 20,000 objects stored there are millions of containers. Python's own thresholds look at all of them every few
thousand requests, which stops the engine for a quarter of a second; thresholds that make it rare make each look longer.
What dies young, which is nearly everything that has cycles (exceptions, tasks), is found among the ``YOUNG`` newest
objects, in less than a millisecond. The rest waits for a quiet moment.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from sidings.clock import Clock
from sidings.host.pace import Requests

YOUNG = 5_000
"""A look at these takes 0.9 ms; at 100,000, 19 ms."""
_NEVER = 1_000_000
LOOK_SECONDS = 5.0
"""Nobody asked for so long: it is quiet."""
EVERY_SECONDS = 60.0
"""How often everything is looked at, if something has happened since."""
LONGEST_SECONDS = 1800.0
"""After that it is done even under load, so that cycles do not pile up."""


def settle() -> None:
    """What lives now lives long: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, _NEVER, _NEVER)


async def sweep(requests: Requests, clock: Clock, collect: Callable[[], object] = gc.collect) -> None:
    """Look at everything from time to time, for ever."""
    last, seen_at_last = clock.monotonic(), requests.begun
    seen = requests.begun
    while True:
        await clock.sleep(LOOK_SECONDS)
        is_quiet, seen = requests.begun == seen, requests.begun
        elapsed = clock.monotonic() - last
        if seen != seen_at_last and elapsed >= (EVERY_SECONDS if is_quiet else LONGEST_SECONDS):
            collect()
            last, seen_at_last = clock.monotonic(), seen
