"""``ttlSecondsAfterFinished``: finished Jobs that delete themselves (pkg/controller/ttlafterfinished, 1.36)."""

from __future__ import annotations

import contextlib
from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.objects import Key, Object, is_deleting, uid_of
from sidings.api.resources import JOBS
from sidings.api.status import NotFound
from sidings.controllers.runtime.controller import Controller


def remaining(job: Object, now: datetime) -> float | None:
    """Seconds until ``job`` expires, not positive where it has; None where it never will as it is."""
    ttl = job["spec"].get("ttlSecondsAfterFinished")
    if ttl is None or is_deleting(job):
        return None
    for type_ in ("Complete", "Failed"):
        condition = conditions.find((job.get("status") or {}).get("conditions"), type_)
        if condition is not None and condition["status"] == "True":
            finished = timestamps.from_text(condition["lastTransitionTime"])
            return float(ttl) - (now - finished).total_seconds()
    return None


class TtlController(Controller):
    """Deletes expired Jobs, their pods first."""

    name = "ttl-after-finished-controller"
    resource = JOBS

    async def reconcile(self, key: Key) -> float | None:
        try:
            job = await self.client.get(JOBS, key.name, key.namespace)
        except NotFound:
            return None
        seconds = remaining(job, self.clock.now())
        if seconds is None or seconds > 0:
            return seconds
        with contextlib.suppress(NotFound):
            await self.client.delete(JOBS, key.name, key.namespace, propagation_policy="Foreground", uid=uid_of(job))
        return None
