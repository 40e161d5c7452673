"""What a pod set asks of the topology: ``podSets[].topologyRequest``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TopologyRequest:
    """At most one of ``required``, ``preferred`` and ``unconstrained``; levels are node labels."""

    required: str | None = None
    preferred: str | None = None
    unconstrained: bool = False
    slice_level: str | None = None
    slice_size: int | None = None
    group: str | None = None

    @staticmethod
    def of_object(entry: Mapping[str, Any] | None) -> TopologyRequest | None:
        """None where nothing is asked: labels that number the pods are in every ``topologyRequest``."""
        found = TopologyRequest.read(entry or {})
        return None if found == TopologyRequest() else found

    @staticmethod
    def read(entry: Mapping[str, Any]) -> TopologyRequest:
        """What ``entry`` asks, be it nothing."""
        return TopologyRequest(
            required=entry.get("required"),
            preferred=entry.get("preferred"),
            unconstrained=bool(entry.get("unconstrained")),
            slice_level=entry.get("podSetSliceRequiredTopology"),
            slice_size=entry.get("podSetSliceSize"),
            group=entry.get("podSetGroupName"),
        )

    @property
    def levels(self) -> list[str]:
        """The levels it names, all of which a flavor must have."""
        return [level for level in (self.required, self.preferred, self.slice_level) if level]
