"""The containers of a pod whose software comes from images: a keeper for each, and the engine behind it."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sidings.node.container_engine.engine import DOCKER

if TYPE_CHECKING:
    from sidings.node.container_engine.engine import ContainerEngine
    from sidings.node.sandbox.init import Streams
    from sidings.node.sandbox.spec import Bind, Container


class EngineStarter:
    """A ``sandbox.starter.Starter``. The engine's half is imported where it is used: most zygotes never need it."""

    def __init__(self, engine: ContainerEngine, pod_uid: str, shared_memory: str) -> None:
        self._engine = engine
        self._pod_uid = pod_uid
        self._shared_memory = shared_memory

    def namespaces(self, hostname: str) -> Callable[[], None] | None:
        """What enters the pod's namespaces where the engine must make them; None: the shim makes its own."""
        engine, pod_uid = self._engine, self._pod_uid
        if engine.name != DOCKER:
            return None
        from sidings.node.container_engine import pause

        return lambda: pause.join(engine, pod_uid, hostname)

    def start(self, container: Container, managed: Sequence[Bind], control: socket.socket, streams: Streams) -> int:
        pid = os.fork()
        if pid:
            return pid
        try:
            from sidings.node.container_engine.keeper import Keeper

            Keeper(self._engine, self._pod_uid, container, managed, self._shared_memory, control, streams).keep()
        finally:
            os._exit(1)

    def kill(self, container: Container, pid: int) -> None:
        """The keeper has the engine end it, and reports the end as any other."""
        os.kill(pid, signal.SIGTERM)

    def clear(self, container: Container, pid: int) -> None:
        from sidings.node.container_engine import invocation, keeper

        keeper.remove(self._engine, invocation.container_name(self._pod_uid, container))

    def leave(self) -> None:
        """The pod is over: give back what ``namespaces`` has made."""
        from sidings.node.container_engine import invocation, keeper

        if self._engine.name == DOCKER:
            keeper.remove(self._engine, invocation.pause_name(self._pod_uid))
