"""Jobs and pods whose Workload could not be made, mostly since the priority class that they name is missing.

Whatever class comes may be the one, so all of them are looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sidings.api.objects import Key, Object
from sidings.api.resources import PRIORITY_CLASSES, WORKLOAD_PRIORITY_CLASSES, Resource
from sidings.controllers.kueue.jobs.plan import COMPOSE_FAILED
from sidings.controllers.runtime.controller import Mapper
from sidings.controllers.runtime.plan import Plan


class Uncomposed:
    """Those of one controller."""

    def __init__(self) -> None:
        self._keys: set[Key] = set()

    def watched(self) -> Mapping[Resource, Mapper]:
        return dict.fromkeys((WORKLOAD_PRIORITY_CLASSES, PRIORITY_CLASSES), self._all)

    def _all(self, _: Object) -> Iterable[Key]:
        return tuple(self._keys)

    def planned(self, key: Key, due: Plan) -> None:
        """``due`` is what was decided for ``key`` just now."""
        self.forget(key)
        if any(note.reason == COMPOSE_FAILED for note in due.events):
            self._keys.add(key)

    def forget(self, key: Key) -> None:
        self._keys.discard(key)
