"""Where the processes of one container are: the part of a tier that init itself carries out."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from sidings.node.sandbox import credentials, rootfs, syscalls
from sidings.node.sandbox.spec import Bind, Container
from sidings.node.sandbox.tier import Views
from sidings.node.sandbox.workload import Command


class Place(Protocol):
    """Used by init, in init's process, from the moment it was let go."""

    def enter(self) -> None:
        """Make the place and move into it. Raises ``OSError`` or ``RootError``."""

    def command(self, command: Command) -> Command:
        """How ``command``, the main process or one of a session, is to be started here."""

    def leave(self) -> None:
        """Init is about to end: nothing else of the container may be left."""


class NamespacesPlace:
    """A root and processes of the container's own: what it asks for is there as it asks for it."""

    def __init__(self, container: Container, managed: Sequence[Bind], shared_memory: str, views: Views) -> None:
        self._container = container
        self._managed = managed
        self._shared_memory = shared_memory
        self._views = views

    def enter(self) -> None:
        syscalls.unshare(syscalls.CLONE_NEWNS)
        syscalls.mount("", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
        rootfs.build(self._container, self._shared_memory, self._managed, self._views).enter()
        credentials.prepare(self._container.credentials)
        # After that, because changing who one is clears it; a shim that died before has closed the control socket.
        syscalls.die_with_parent(signal.SIGKILL)

    def command(self, command: Command) -> Command:
        return replace(command, credentials=self._container.credentials)

    def leave(self) -> None:
        """The kernel does it: init is pid 1."""
