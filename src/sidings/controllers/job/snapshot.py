"""What a pass of the Job controller decides on: the Job, its pods, and the back-off it remembers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sidings.api import objects
from sidings.api.objects import Object
from sidings.controllers.job import pods
from sidings.controllers.job.backoff import NO_FAILURES, Backoff


@dataclass(frozen=True)
class Snapshot:
    """Everything is shared with other readers: copy before changing."""

    job: Object
    pods: tuple[Object, ...]
    """Those that the Job controls, by completion index and name."""
    backoff: Backoff = NO_FAILURES

    @classmethod
    def of(cls, job: Object, owned: Iterable[Object], backoff: Backoff = NO_FAILURES) -> Snapshot:
        return cls(job, tuple(sorted(owned, key=_place)), backoff)


def _place(pod: Object) -> tuple[int, str]:
    index = pods.completion_index(pod)
    return (-1 if index is None else index, objects.name_of(pod))
