"""The process that makes sandboxes: single-threaded, warm, and owner of the node's namespaces.

``unshare(CLONE_NEWUSER)`` needs a single-threaded process, and a fork of a warm interpreter costs 1-3 ms where a new
one costs 50-100. The zygote starts in its own user (unless root), network and mount namespaces, puts a bridge, the
pods' name server and the proxy of Services there, and forks a shim for every ``start``. Shims do not need it
afterwards: a zygote that was killed is replaced by one that joins the namespaces of its surviving name server.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from sidings.node.sandbox import name_server, notes, outside, protocol, service_proxy, shim, syscalls
from sidings.node.sandbox.ground import Ground
from sidings.node.sandbox.host import host_ground
from sidings.node.sandbox.host.host_ground import HostGround
from sidings.node.sandbox.namespaces_ground import NOTHING_OF_ITS_OWN, NamespacesGround
from sidings.node.sandbox.spec import PROTOCOL, PodSandbox
from sidings.node.sandbox.tier import Choice, Kind, Tier, Wanted

NAME_SERVER, SERVICE_PROXY = "name-server.json", "service-proxy.json"
_TIER = "tier.json"


class Zygote:
    """The event loop; ``directory`` is the node's state directory."""

    def __init__(self, directory: Path, wanted: Wanted) -> None:
        self._directory = directory
        self._shims: set[int] = set()
        self._lock = os.open(directory / "zygote.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._listener = protocol.listen(directory / "zygote.sock")
        notes.write(directory / "zygote.json", os.getpid())
        # Last, because a name server stays when the zygote fails.
        holder = notes.living(directory / NAME_SERVER)
        self._ground = ground(directory, wanted, tier_in_force(directory))
        if not holder and (stranded := notes.living(directory / SERVICE_PROXY)):
            os.kill(stranded, signal.SIGKILL)  # it is in namespaces that nobody can join any more
            (directory / SERVICE_PROXY).unlink()
        self._ground.enter(holder)
        self.tier = self._ground.tier
        (directory / _TIER).write_text(json.dumps(self.tier.to_json()))
        self._name_server = holder or self._start_name_server()
        self._service_proxy = notes.living(directory / SERVICE_PROXY) or self._start_service_proxy()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        if pid := outside.living(directory):
            self._selector.register(os.pidfd_open(pid), selectors.EVENT_READ, self._leave_for_another)

    def serve(self) -> NoReturn:
        gc.freeze()
        while True:
            for key, _ in self._selector.select(timeout=1):
                key.data()
            self._reap()

    def _accept(self) -> None:
        connection = protocol.accept(self._listener, self._ground.admits)
        if connection is not None:
            self._selector.register(connection.socket, selectors.EVENT_READ, lambda: self._serve_client(connection))

    def _serve_client(self, connection: protocol.Connection) -> None:
        requests = connection.receive()
        if requests is None:
            self._hang_up(connection)
            return
        for request in requests:
            try:
                self._do(connection, request)
            except OSError as error:
                connection.send({"error": str(error)})

    def _hang_up(self, connection: protocol.Connection) -> None:
        self._selector.unregister(connection.socket)
        connection.close()

    def _do(self, connection: protocol.Connection, request: dict[str, Any]) -> None:
        operation = request["op"]
        if operation == "start":
            self._start(connection, PodSandbox.from_json(request["pod"]))
        elif operation == "unmount":
            self._ground.release(map(Path, request["directories"]))
            connection.send({"ok": True})
        elif operation == "shutdown":
            for pid in filter(None, (self._name_server, self._service_proxy, outside.living(self._directory))):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            (self._directory / "zygote.sock").unlink(missing_ok=True)
            connection.send({"ok": True})
            os._exit(0)
        else:
            connection.send({"ok": True, "protocol": PROTOCOL, "pid": os.getpid(), "tier": self.tier.to_json()})

    def _start(self, connection: protocol.Connection, pod: PodSandbox) -> None:
        self._ground.prepare(pod)
        if pid := os.fork():
            self._shims.add(pid)
            # The child answers; from here on this connection is its.
            self._hang_up(connection)
            return
        try:
            self._become_shim(connection, pod)
        finally:
            os._exit(1)

    def _become_shim(self, connection: protocol.Connection, pod: PodSandbox) -> NoReturn:
        os.setsid()
        syscalls.set_name("sidings-shim")
        syscalls.become_subreaper()
        kept = os.dup(connection.fileno())
        syscalls.close_others([kept])
        answer = socket.socket(fileno=kept)
        reply = protocol.Connection(answer)
        try:
            starter = self._ground.settle(pod)
            supervisor = shim.Shim(pod, starter, self._ground)
        except OSError as error:
            reply.send({"error": str(error)})
            os._exit(1)
        reply.send({"ok": True, "pid": os.getpid()})
        answer.close()
        gc.freeze()
        supervisor.serve()

    def _leave_for_another(self) -> NoReturn:
        """The process outside is dead, and from in here no other can be started: the next pod's zygote will."""
        print("the pods' way outside was killed: the zygote ends, to be replaced with the next pod", file=sys.stderr)
        (self._directory / "zygote.sock").unlink(missing_ok=True)
        os._exit(1)

    def _reap(self) -> None:
        """Collect shims that left; a name server or proxy that died is replaced."""
        with contextlib.suppress(ChildProcessError):
            while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                if pid == self._name_server:
                    self._name_server = self._start_name_server()
                elif pid == self._service_proxy:
                    self._service_proxy = self._start_service_proxy()
                elif pid in self._shims:
                    self._shims.discard(pid)
                    served = {self._name_server, self._service_proxy, outside.living(self._directory)}
                    self._ground.sweep(served | self._shims)

    def _start_name_server(self) -> int:
        """Fork the name server and note it as the holder of the node's namespaces; returns its pid."""
        datagrams, streams = self._ground.name_server_sockets()
        table = self._directory / "dns.json"
        upstream = self._ground.placed(*outside.UPSTREAM)
        kept = [datagrams.fileno(), streams.fileno()]
        pid = _fork_daemon("sidings-dns", kept, lambda: name_server.serve(datagrams, streams, table, upstream))
        datagrams.close()
        streams.close()
        notes.write(self._directory / NAME_SERVER, pid)
        return pid

    def _start_service_proxy(self) -> int:
        """Fork the proxy of Services; returns its pid."""
        table = self._directory / "services.json"
        pid = _fork_daemon("sidings-proxy", [], lambda: service_proxy.serve(table, self._ground.placed))
        notes.write(self._directory / SERVICE_PROXY, pid)
        return pid


def ground(directory: Path, wanted: Wanted, known: Tier | None) -> Ground:
    """What pods of this node stand on; ``known`` is the tier of pods that run already, which decides."""
    if known is not None:
        return NamespacesGround(directory, known) if known.namespaces else HostGround(directory, known)
    if wanted.choice == Choice.HOST:
        return HostGround(directory, host_ground.found(wanted.library, wanted.refused))
    nested = Tier(Kind.NESTED, NOTHING_OF_ITS_OWN, "--tier nested") if wanted.choice == Choice.NESTED else None
    return NamespacesGround(directory, nested)


def tier_in_force(directory: Path) -> Tier | None:
    """The tier that the pods of ``directory`` are on: as long as their name server lives, who else holds it."""
    if not notes.living(directory / NAME_SERVER):
        return None
    return Tier.from_json(json.loads((directory / _TIER).read_text()))


def _fork_daemon(name: str, kept: list[int], serve: Callable[[], NoReturn]) -> int:
    """A process of its own session that serves for ever and has no descriptors but ``kept``."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            syscalls.set_name(name)
            syscalls.close_others(kept)
            serve()
        finally:
            os._exit(1)
    return pid


def main() -> NoReturn:
    """Arguments: an fd to report on once, the state directory, and the tier that is ``Wanted``."""
    ready = os.fdopen(int(sys.argv[1]), "w")
    syscalls.set_name("sidings-zygote")
    try:
        zygote = Zygote(Path(sys.argv[2]), Wanted(**json.loads(sys.argv[3])))
    except OSError as error:
        ready.write(json.dumps({"error": f"{error.filename or 'sandbox'}: {error.strerror}"}))
        ready.close()
        sys.exit(1)
    ready.write(json.dumps({"ok": True, "pid": os.getpid(), "tier": zygote.tier.to_json()}))
    ready.close()
    zygote.serve()
