"""The seam between the zygote and a tier: what the node's pods stand on, and how one pod gets its place there."""

from __future__ import annotations

import socket
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Protocol

from sidings.node.sandbox.spec import PodSandbox
from sidings.node.sandbox.starter import Starter
from sidings.node.sandbox.tier import Tier


class Ground(Protocol):
    """Made once by the zygote, in its own process; each raises ``OSError`` where the machine refuses."""

    @property
    def tier(self) -> Tier: ...

    def enter(self, holder: int) -> None:
        """Make what all pods of the node share, or with ``holder``, a process that is in it already, join that."""

    def name_server_sockets(self) -> tuple[socket.socket, socket.socket]:
        """Bound sockets, UDP and TCP, at which pods ask for names."""

    def placed(self, host: str, port: int) -> tuple[str, int]:
        """Where a port of the pods' network is to be listened on and dialled from outside of pods."""

    def prepare(self, pod: PodSandbox) -> None:
        """In the zygote, before the pod's shim is forked: what the pod shares with others, and memory volumes."""

    def settle(self, pod: PodSandbox) -> Starter:
        """In the forked process that becomes the pod's shim: enter the pod's own place."""

    def vacate(self, pod: PodSandbox) -> None:
        """In the shim, after the pod's last process: give back what ``prepare`` made for this pod alone."""

    def sweep(self, kept: Collection[int]) -> None:
        """In the zygote, when a shim has ended: nothing of its pod may be left. ``kept``: children that live on."""

    def admits(self, pid: int) -> bool:
        """Whether process ``pid`` may tell zygote and shims what to do; a pod may not."""

    def release(self, directories: Iterable[Path]) -> None:
        """Give back shared memory that no pod uses any more."""
