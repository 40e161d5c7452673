"""What a machine allows pods to have of their own, as the zygote found by doing; docs/tiers.md has the whole table.

A node keeps its tier while its name server lives, so that a zygote that is replaced serves the pods it finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from sidings.node.network import loopback


class Choice(StrEnum):
    """What a user may ask for; ``AUTO`` takes the best that works."""

    AUTO = "auto"
    NAMESPACES = "namespaces"
    NESTED = "nested"
    HOST = "host"


@dataclass(frozen=True)
class Wanted:
    """What a new zygote is to try. ``library`` and ``refused`` belong to ``HOST``: what pods preload, and why they
    have no namespaces."""

    choice: Choice
    library: str = ""
    refused: str = ""


class Kind(StrEnum):
    """The reason of a Node's condition ``sidings.dev/Sandbox``."""

    NAMESPACES = "FullNamespaces"
    NESTED = "NestedNamespaces"
    LIBRARY = "HostWithLibrary"
    ENVIRONMENT = "HostEnvironment"


_MESSAGES: Mapping[Kind, str] = {
    Kind.NAMESPACES: "Pods have their own network, mounts, processes and host name (tier T1)",
    Kind.NESTED: (
        "Pods have their own network, mounts and processes; they see this container's /proc and /sys, and its host "
        "name where it cannot be set (tier T1b)"
    ),
    Kind.LIBRARY: (
        "Pods are processes of this machine; a preloaded library gives them an address, mount paths and a host name, "
        "and nothing keeps static programs to them (tier T2)"
    ),
    Kind.ENVIRONMENT: (
        "Pods are processes of this machine with its network and files; mount paths and names are replaced in "
        "commands and variables (tier T3)"
    ),
}


@dataclass(frozen=True)
class Views:
    """What a pod can be given a new one of; where not, it sees the machine's."""

    proc: bool = True
    sysfs: bool = True
    host_name: bool = True


FULL = Views()


@dataclass(frozen=True)
class Tier:
    """``refused``: what the machine did not allow of a better tier, in the kernel's words."""

    kind: Kind
    views: Views = FULL
    refused: str = ""
    no_way_out: str = ""
    """Why pods reach nothing outside; "" where they do."""
    library: str = ""
    """What pods preload in tier T2."""

    @property
    def reason(self) -> str:
        return str(self.kind)

    @property
    def message(self) -> str:
        missing = f": {self.refused}" if self.refused else ""
        closed = f"; they have no outbound connections: {self.no_way_out}" if self.no_way_out else ""
        return _MESSAGES[self.kind] + missing + closed

    @property
    def namespaces(self) -> bool:
        """Pods have a network and mounts of their own."""
        return self.kind in (Kind.NAMESPACES, Kind.NESTED)

    def placed(self, host: str, port: int) -> tuple[str, int]:
        """Where a port of the pod at ``host`` is to be dialled through a socket of that pod."""
        return (host, port) if self.namespaces else loopback(host, port)

    @property
    def host_name(self) -> bool:
        """Pods can have a host name of their own."""
        return self.views.host_name

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Tier:
        return Tier(
            Kind(value["kind"]), Views(**value["views"]), value["refused"], value["no_way_out"], value["library"]
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
