"""Which containers ended with a failure, and which of several to read: when one rank dies, its peers die of it.

The first to fail is the one to read. The API keeps times to the second only, so of several in one second those that
were stopped from outside (143 SIGTERM, 137 SIGKILL without OOMKilled) come last. A container that was started again and
then stopped, because its Job had failed too often, is read from its former life: that is what went wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sidings.api.objects import Object

_SIGTERM, _SIGKILL = 143, 137


class ContainerFailure(NamedTuple):
    """A container that ended with a failure. ``previous``: it has been started again since, its log is the former."""

    pod: Object
    container: str
    exit_code: int
    reason: str
    message: str
    finished_at: str
    previous: bool

    @property
    def moment(self) -> tuple[str, bool]:
        """Sort key: who is to be read first."""
        return self.finished_at, _was_stopped(self.exit_code, self.reason)


def of(pod: Object) -> Iterator[ContainerFailure]:
    """Containers of ``pod`` that ended with another exit code than 0, now or before their last restart."""
    status = pod.get("status") or {}
    for container in [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]:
        found = [
            _failure(pod, str(container["name"]), ended, previous=field == "lastState")
            for field in ("state", "lastState")
            if (ended := (container.get(field) or {}).get("terminated") or {}).get("exitCode")
        ]
        if found:
            yield min(found, key=lambda failure: _was_stopped(failure.exit_code, failure.reason))


def _failure(pod: Object, container: str, ended: Mapping[str, Any], *, previous: bool) -> ContainerFailure:
    reason, message = str(ended.get("reason") or "Error"), str(ended.get("message") or "")
    finished_at = str(ended.get("finishedAt") or "")
    return ContainerFailure(pod, container, int(ended["exitCode"]), reason, message, finished_at, previous)


def _was_stopped(exit_code: int, reason: str) -> bool:
    return exit_code == _SIGTERM or (exit_code == _SIGKILL and reason != "OOMKilled")
