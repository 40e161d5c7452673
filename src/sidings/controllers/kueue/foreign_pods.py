"""What runs on nodes beside the queue's placements, and so is not free for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sidings.api import pod_resources
from sidings.api.kueue import keys
from sidings.api.objects import Key, Object, annotations_of, key_of
from sidings.api.pod_phase import has_ended
from sidings.queue import amounts
from sidings.queue.topology.domains import Topology


class _Place(NamedTuple):
    node: str
    requests: Mapping[str, int]


class ForeignPods:
    """Pods on nodes that no placement accounts for; they take their room in the topologies that are handed in."""

    def __init__(self) -> None:
        self._places: dict[Key, _Place] = {}

    def known(self) -> set[Key]:
        return set(self._places)

    def see(self, pod: Object, topologies: Iterable[Topology], *, gone: bool) -> tuple[bool, bool]:
        """Whether the change of ``pod`` (took room, gave room back)."""
        key = key_of(pod)
        place, before = None if gone else _place_of(pod), self._places.pop(key, None)
        if place is not None:
            self._places[key] = place
        if place == before:
            return False, False
        for topology in topologies:
            if before is not None:
                topology.occupy(before.node, before.requests, -1)
            if place is not None:
                topology.occupy(place.node, place.requests)
        return place is not None, before is not None

    def occupy(self, topologies: Iterable[Topology]) -> None:
        """All of them take their room in ``topologies``, which were just built."""
        for topology in topologies:
            for place in self._places.values():
                topology.occupy(place.node, place.requests)


def _place_of(pod: Object) -> _Place | None:
    """None for a pod that is on no node, has ended, or is where the queue placed it."""
    node = pod["spec"].get("nodeName")
    if not node or has_ended(pod) or keys.WORKLOAD in annotations_of(pod):
        return None
    requests = {name: amounts.whole(name, amount) for name, amount in pod_resources.of_pod(pod).items()}
    return _Place(node, {**requests, amounts.PODS: 1})
