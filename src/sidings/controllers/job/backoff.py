"""How long a Job waits before it replaces failed pods: 10 s, doubling with each failure since the last success.

The record lives in the controller's memory, as upstream's does (pkg/controller/job/backoff_utils.go, 1.36): pods that
were counted may be gone, so it cannot be rebuilt from the objects, and a restart merely forgives the delay. Jobs with
``backoffLimitPerIndex`` keep their counts in pod annotations instead (``per_index``).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.controllers.job import pods

FIRST_DELAY = 10.0
LONGEST_DELAY = 600.0


class Backoff(NamedTuple):
    """Failures in a row since a pod last succeeded, and when the last of them ended."""

    failures: int = 0
    last_failure: datetime | None = None

    def after(self, succeeded: Sequence[Object], failed: Sequence[Object]) -> Backoff:
        """The record with these newly finished pods: a success wipes out every failure that came before it."""
        failures = sorted(pods.finished_at(pod) for pod in failed)
        if succeeded:
            last_success = max(pods.finished_at(pod) for pod in succeeded)
            since = [moment for moment in failures if moment >= last_success]
            return Backoff(len(since), since[-1]) if since else NO_FAILURES
        if failures:
            return Backoff(self.failures + len(failures), failures[-1])
        return self

    def remaining(self, now: datetime) -> float:
        """Seconds until pods may be created again; 0 where they may be now."""
        return delay(self.failures, self.last_failure, now)


NO_FAILURES = Backoff()


def delay(failures: int, last_failure: datetime | None, now: datetime) -> float:
    """Seconds left of the pause after ``failures`` failures in a row, the last of them at ``last_failure``.

    None are left where that lies in the future: the clock was set back, and nobody knows how long ago it was.
    """
    if not failures or last_failure is None or now < last_failure:
        return 0.0
    pause = min(FIRST_DELAY * 2.0 ** min(failures - 1, 32), LONGEST_DELAY)
    return max(pause - (now - last_failure).total_seconds(), 0.0)
