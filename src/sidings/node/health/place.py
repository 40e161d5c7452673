"""Where a probe or hook is put to: the seam between the rules here and the pod's sandbox."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sidings.api.objects import Object


class Reach(Protocol):
    """Ways into one pod."""

    async def new_socket(self) -> socket.socket:
        """A new TCP socket in the pod's network, not blocking, not connected."""
        ...

    def placed(self, host: str, port: int) -> tuple[str, int]:
        """What such a socket is to be connected to, for ``host`` and ``port`` as they are called in the pod."""
        ...

    async def execute(self, container: str, argv: Sequence[str]) -> tuple[int, bytes]:
        """Run ``argv`` inside ``container``: exit code, and what it wrote to both streams (the beginning of it).

        A caller that is cancelled takes the command along.
        """
        ...


@dataclass(frozen=True)
class Place:
    """One container of one pod."""

    reach: Reach
    container: str
    address: str
    """The pod's."""
    ports: Mapping[str, int] = field(default_factory=dict)
    """Named ports."""

    @staticmethod
    def of(container: Object, address: str, reach: Reach) -> Place:
        ports = {port["name"]: port["containerPort"] for port in container.get("ports") or () if port.get("name")}
        return Place(reach, container["name"], address, ports)

    def port(self, stated: Any) -> int:
        """A port by number or name; raises ``ValueError`` for one that there is not."""
        if isinstance(stated, int):
            number = stated
        elif stated in self.ports:
            number = self.ports[stated]
        else:
            number = int(stated) if str(stated).isdigit() else 0
        if not 0 < number < 65536:
            raise ValueError(f"couldn't find port {stated} of container {self.container}")
        return number
