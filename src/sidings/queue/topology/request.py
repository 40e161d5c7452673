"""What a pod set asks of the topology: ``podSets[].topologyRequest``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LAYERS = "podsetSliceRequiredTopologyConstraints"


@dataclass(frozen=True)
class TopologyRequest:
    """At most one of ``required``, ``preferred`` and ``unconstrained``; levels are node labels."""

    required: str | None = None
    preferred: str | None = None
    unconstrained: bool = False
    slice_level: str | None = None
    slice_size: int | None = None
    inner_slices: tuple[tuple[str, int], ...] = ()
    """(level, size) of slices within slices, the larger before the smaller."""
    group: str | None = None

    @staticmethod
    def of_object(entry: Mapping[str, Any] | None) -> TopologyRequest | None:
        """None where nothing is asked: labels that number the pods are in every ``topologyRequest``."""
        found = TopologyRequest.read(entry or {})
        return None if found == TopologyRequest() else found

    @staticmethod
    def read(entry: Mapping[str, Any]) -> TopologyRequest:
        """What ``entry`` asks, be it nothing."""
        layers = [(layer["topology"], layer["size"]) for layer in entry.get(LAYERS) or ()]
        outer = layers[0] if layers else (entry.get("podSetSliceRequiredTopology"), entry.get("podSetSliceSize"))
        return TopologyRequest(
            required=entry.get("required"),
            preferred=entry.get("preferred"),
            unconstrained=bool(entry.get("unconstrained")),
            slice_level=outer[0],
            slice_size=outer[1],
            inner_slices=tuple(layers[1:]),
            group=entry.get("podSetGroupName"),
        )

    @property
    def levels(self) -> list[str]:
        """The levels it names, all of which a flavor must have."""
        inner = [level for level, _ in self.inner_slices]
        return [level for level in (self.required, self.preferred, self.slice_level, *inner) if level]
