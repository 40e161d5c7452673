"""Why a JobSet was restarted or failed, in words: upstream names the Job, a user wants the pod, the code and the line.

The failed Job's pods are read while they are there (the restart deletes them), and the container that ended first with
a failure is told in an event of its own, so that what upstream says stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sidings.api import conditions, objects
from sidings.api.job.labels import COMPLETION_INDEX
from sidings.api.objects import Object

REASON = "FirstFailure"
LONGEST_LINE = 300
_SIGTERM, _SIGKILL = 143, 137


class Culprit(NamedTuple):
    """A container that ended with a failure; ``previous`` where it has been started again since."""

    pod: Object
    container: str
    exit_code: int
    reason: str
    finished_at: str
    previous: bool


def culprit(pods: Iterable[Object]) -> Culprit | None:
    """The first to fail. Of several in one second those stopped from outside come last; then the index decides."""
    return min((found for pod in pods for found in _failures(pod)), key=_order, default=None)


def describe(job: Object, found: Culprit | None, last_line: str = "") -> str:
    """The event's message."""
    name = objects.name_of(job)
    if found is None:
        condition = conditions.find((job.get("status") or {}).get("conditions"), "Failed") or {}
        return f"Job {name} failed: {condition.get('reason') or 'Failed'}: {condition.get('message') or ''}".rstrip(
            ": "
        )
    text = f"Job {name}, pod {objects.name_of(found.pod)}: container {found.container} exited with {found.exit_code}"
    text += f" ({found.reason})"
    return f"{text}; its last line: {last_line[:LONGEST_LINE]}" if last_line else text


def _failures(pod: Object) -> Iterable[Culprit]:
    status = pod.get("status") or {}
    for container in [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]:
        for field, previous in (("state", False), ("lastState", True)):
            ended = (container.get(field) or {}).get("terminated") or {}
            if ended.get("exitCode"):
                code, reason = int(ended["exitCode"]), str(ended.get("reason") or "Error")
                yield Culprit(pod, str(container["name"]), code, reason, str(ended.get("finishedAt") or ""), previous)
                break


def _order(found: Culprit) -> tuple[object, ...]:
    stopped = found.exit_code == _SIGTERM or (found.exit_code == _SIGKILL and found.reason != "OOMKilled")
    index = int(objects.annotations_of(found.pod).get(COMPLETION_INDEX) or 0)
    return found.finished_at, stopped, index, objects.name_of(found.pod)
