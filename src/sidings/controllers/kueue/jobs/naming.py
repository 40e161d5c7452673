"""Which jobs name which prebuilt Workload: one that comes later, or changes, is theirs to look at."""

from __future__ import annotations

from collections.abc import Collection

from sidings.api.objects import Key


class Naming:
    """Jobs of one kind."""

    def __init__(self) -> None:
        self._jobs: dict[Key, set[Key]] = {}
        """By Workload."""
        self._workload: dict[Key, Key] = {}
        """By job."""

    def names(self, job: Key, workload: Key) -> None:
        """``job`` names ``workload``, and no other that it named before."""
        if self._workload.get(job) != workload:
            self.forget(job)
            self._workload[job] = workload
            self._jobs.setdefault(workload, set()).add(job)

    def forget(self, job: Key) -> None:
        """It is gone, or names none any more."""
        workload = self._workload.pop(job, None)
        if workload is None:
            return
        jobs = self._jobs[workload]
        jobs.discard(job)
        if not jobs:
            del self._jobs[workload]

    def jobs_of(self, workload: Key) -> Collection[Key]:
        return tuple(self._jobs.get(workload, ()))

    def __len__(self) -> int:
        return len(self._workload)
