"""Which rank failed first: when one rank of a distributed job dies, its peers die of it a moment later.

The first to end with a failure is the one to read. The API keeps times to the second only, so of several in one second
those that were killed by a signal from outside (143 SIGTERM, 137 SIGKILL without OOMKilled) come last, then rank
decides.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sidings.answers.family import Family, pod_order, short_name
from sidings.api.objects import Object, uid_of

_SIGTERM, _SIGKILL = 143, 137


class Failure(NamedTuple):
    """A container that ended with a failure. ``previous``: it has been started again since, its log is the former."""

    pod: Object
    container: str
    exit_code: int
    reason: str
    message: str
    finished_at: str
    previous: bool

    def __str__(self) -> str:
        """``node-0-1 exited with 3 (Error)``."""
        return f"{short_name(self.pod)} exited with {self.exit_code} ({self.reason})"


def first_failure(family: Family, known: Collection[Failure] = ()) -> Failure | None:
    """The failure that came first in the family's present pods and is not ``known``; None where there is none."""
    found = [failure for pod in family.pods for failure in failures_of(pod)]
    seen = {_identity(failure) for failure in known}
    return min((failure for failure in found if _identity(failure) not in seen), key=_order, default=None)


def _identity(failure: Failure) -> tuple[str, str, str]:
    return uid_of(failure.pod), failure.container, failure.finished_at


def _order(failure: Failure) -> tuple[object, ...]:
    killed = failure.exit_code == _SIGTERM or (failure.exit_code == _SIGKILL and failure.reason != "OOMKilled")
    return (failure.finished_at, killed, *pod_order(failure.pod))


def failures_of(pod: Object) -> list[Failure]:
    """Containers of one pod that ended with another exit code than 0, now or before their last restart."""
    status = pod.get("status") or {}
    found = []
    for container in [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]:
        for field, previous in (("state", False), ("lastState", True)):
            ended = (container.get(field) or {}).get("terminated") or {}
            if ended.get("exitCode"):
                found.append(
                    Failure(
                        pod,
                        str(container["name"]),
                        int(ended["exitCode"]),
                        str(ended.get("reason") or "Error"),
                        str(ended.get("message") or ""),
                        str(ended.get("finishedAt") or ""),
                        previous,
                    )
                )
                break
    return found
