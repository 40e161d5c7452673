"""Where the processes of one container are: the part of a tier that init itself carries out."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Protocol

from sidings.node.sandbox import rootfs, syscalls
from sidings.node.sandbox.spec import Bind, Container
from sidings.node.sandbox.tier import Views
from sidings.node.sandbox.workload import Command

CAPABILITIES = 0xA80425FB & ~(1 << 27)
"""Docker's default set without CAP_MKNOD: there is no device cgroup here to take the sting out of a device node."""


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
        syscalls.die_with_parent(signal.SIGKILL)
        syscalls.unshare(syscalls.CLONE_NEWNS)
        syscalls.mount("", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
        rootfs.build(self._container, self._shared_memory, self._managed, self._views).enter()
        syscalls.keep_capabilities(CAPABILITIES)

    def command(self, command: Command) -> Command:
        return command

    def leave(self) -> None:
        """The kernel does it: init is pid 1."""
