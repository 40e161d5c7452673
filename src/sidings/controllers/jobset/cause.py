"""Why a JobSet was restarted or failed, in words: upstream names the Job, a user wants the pod, the code and the line.

The failed Job's pods are read while they are there (the restart deletes them, and a Job whose containers start again
in their pods deletes those before it has failed), and the container that ended first with a failure is told in an event
of its own, so that what upstream says stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sidings.api import conditions, container_failure, objects
from sidings.api.container_failure import ContainerFailure
from sidings.api.job.labels import COMPLETION_INDEX
from sidings.api.objects import Object

REASON = "FirstFailure"
LONGEST_LINE = 300


class Witnessed(NamedTuple):
    """What a Job that was about to fail had failed of, read before its pods went."""

    failure: ContainerFailure
    last_line: str


def culprit(pods: Iterable[Object], witnessed: Witnessed | None = None) -> ContainerFailure | None:
    """The first to fail, of pods that are there or have gone; of several in one moment the index decides."""
    known = [witnessed.failure] if witnessed else []
    present = (found for pod in pods for found in container_failure.of(pod))
    return min((*present, *known), key=_order, default=None)


def describe(job: Object, found: ContainerFailure | None, last_line: str = "") -> str:
    """The event's message."""
    name = objects.name_of(job)
    if found is None:
        condition = conditions.find((job.get("status") or {}).get("conditions"), "Failed") or {}
        return f"Job {name} failed: {condition.get('reason') or 'Failed'}: {condition.get('message') or ''}".rstrip(
            ": "
        )
    return _failure(name, found, last_line)


def describe_in_place(found: ContainerFailure, last_line: str = "") -> str:
    """The event's message where no Job has failed: containers start again in their pods."""
    job = (objects.controller_of(found.pod) or {}).get("name") or ""
    return f"Restart in place: {_failure(job, found, last_line)}"


def _failure(job: str, found: ContainerFailure, last_line: str) -> str:
    text = f"Job {job}, pod {objects.name_of(found.pod)}: container {found.container} exited with {found.exit_code}"
    text += f" ({found.reason})"
    return f"{text}; its last line: {last_line[:LONGEST_LINE]}" if last_line else text


def _order(found: ContainerFailure) -> tuple[object, ...]:
    index = int(objects.annotations_of(found.pod).get(COMPLETION_INDEX) or 0)
    return (*found.moment, index, objects.name_of(found.pod))
