"""Writes that the API refuses: each object is tried again after a longer pause, and told of once.

A status that is written whenever the cache changes would else be refused five times a second for ever, and nobody would
know. What is refused because somebody was faster is tried again like the others, but is nothing to tell.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from sidings.api.objects import key_of
from sidings.api.status import ApiError, Conflict
from sidings.clock import Clock
from sidings.controllers.runtime.plan import Update

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 60.0  # seconds
Place = tuple[str, str, str, str]
"""Resource, namespace and name of an object, and the subresource."""


@dataclass
class _Refusal:
    pause: float
    again_at: float
    told: str = ""


class Refusals:
    """Of one writer, called ``name`` in the log."""

    def __init__(self, clock: Clock, name: str) -> None:
        self._clock = clock
        self._name = name
        self._refused: dict[Place, _Refusal] = {}

    def due(self, steps: Iterable[Update]) -> list[Update]:
        """Those that may be tried now. What was refused and is not among ``steps`` any more is forgotten."""
        wanted = {_place(step): step for step in steps}
        self._refused = {place: known for place, known in self._refused.items() if place in wanted}
        now = self._clock.monotonic()
        return [
            step for place, step in wanted.items() if place not in self._refused or self._refused[place].again_at <= now
        ]

    def refused(self, step: Update, error: ApiError) -> None:
        place, now = _place(step), self._clock.monotonic()
        known = self._refused.get(place)
        pause = min(known.pause * 2, LONGEST_PAUSE) if known else FIRST_PAUSE
        told = known.told if known else ""
        if not isinstance(error, Conflict) and str(error) != told:
            told = str(error)
            log.warning("%s: %s is refused and tried again: %s", self._name, "/".join(filter(None, place)), error)
        self._refused[place] = _Refusal(pause, now + pause, told)

    def written(self, step: Update) -> None:
        self._refused.pop(_place(step), None)

    def next_in(self) -> float | None:
        """Seconds until the first of them may be tried again; None where none was refused."""
        if not self._refused:
            return None
        return max(min(each.again_at for each in self._refused.values()) - self._clock.monotonic(), 0.0)


def _place(step: Update) -> Place:
    return (step.resource.group_resource, *key_of(step.obj), step.subresource)
