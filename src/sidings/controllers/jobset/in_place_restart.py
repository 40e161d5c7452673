"""``restartStrategy: InPlaceRestart`` (gate InPlaceRestart): containers start again in their pods, all together.

An agent in each pod writes the attempt that it has reached on the pod and waits. Once all pods have reached the same
attempt the JobSet makes it the *current* one and the agents let their workers run; as soon as one pod is ahead, the
attempts behind it are *previous* and their agents end their workers, which the kubelet starts again. Nobody is
rescheduled and no image is pulled. (pkg/controllers/in_place_restart.go after v0.12.) The agent is the user's image.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from sidings.api import objects
from sidings.api.jobset import labels, validation
from sidings.api.objects import Object
from sidings.controllers.jobset.jobset_conditions import FAILED, Condition

REACHED_MAX_RESTARTS = Condition(
    FAILED, "True", "ReachedMaxRestarts", "jobset failed due to reaching max number of restarts", "Warning"
)
INVALID_ATTEMPT = f"invalid value for annotation {labels.IN_PLACE_RESTART_ATTEMPT}, must be non-negative integer"
_NUMBER = re.compile(r"\d+")


class InvalidAttempt(ValueError):
    """A pod says that it is in an attempt that is no number."""


class Attempts(NamedTuple):
    """The status fields; None where they are not set."""

    current: int | None = None
    previous: int | None = None


def is_used(jobset: Object) -> bool:
    return validation.restarts_in_place(jobset["spec"])


def container_is_exhausted(jobset: Object, pods: Iterable[Object]) -> bool:
    """Whether a single container started again more often than ``maxRestarts`` allows."""
    restarts = (int(container.get("restartCount") or 0) for pod in pods for container in _containers(pod))
    return max(restarts, default=0) > _limit(jobset)


def is_exhausted(jobset: Object, attempts: list[int]) -> bool:
    """Whether the JobSet has reached more attempts than ``maxRestarts`` allows.

    Restarts of the whole set are attempts too (their number is where agents begin); those that do not count towards
    the maximum are taken off.
    """
    status = jobset.get("status") or {}
    uncounted = int(status.get("restarts") or 0) - int(status.get("restartsCountTowardsMax") or 0)
    return max(attempts, default=0) - uncounted > _limit(jobset)


def attempts_of(pods: Iterable[Object]) -> list[int]:
    """What the pods that have not failed say; one that says nothing yet is left out. Raises ``InvalidAttempt``."""
    found = []
    for pod in pods:
        text = objects.annotations_of(pod).get(labels.IN_PLACE_RESTART_ATTEMPT)
        if text is None or (pod.get("status") or {}).get("phase") == "Failed":
            continue
        if not _NUMBER.fullmatch(text):
            raise InvalidAttempt(INVALID_ATTEMPT)
        found.append(int(text))
    return found


def foremost(pods: Iterable[Object]) -> list[Object]:
    """Those of ``pods`` that say the highest attempt: their containers were the first to start again."""
    said = [(attempt, pod) for pod in pods for attempt in attempts_of([pod])]
    highest = max((attempt for attempt, _ in said), default=0)
    return [pod for attempt, pod in said if attempt == highest]


def advance(jobset: Object, attempts: list[int], before: Attempts) -> Attempts:
    """The status fields after a look at the ``attempts`` of all pods."""
    groups = jobset["spec"].get("replicatedJobs") or ()
    total = sum(int(group["replicas"]) * int(group["template"]["spec"].get("parallelism") or 1) for group in groups)
    if attempts and len(attempts) == total and len(set(attempts)) == 1:
        return before._replace(current=attempts[0])
    behind = max(attempts, default=0) - 1
    if behind < 0 or (before.previous is not None and before.previous >= behind):
        return before
    return before._replace(previous=behind)


def _containers(pod: Object) -> list[Object]:
    status = pod.get("status") or {}
    return [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]


def _limit(jobset: Object) -> int:
    return int((jobset["spec"].get("failurePolicy") or {}).get("maxRestarts") or 0)
