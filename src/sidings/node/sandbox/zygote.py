"""The process that makes sandboxes: single-threaded, warm, and owner of the node's namespaces.

``unshare(CLONE_NEWUSER)`` needs a single-threaded process, and a fork of a warm interpreter costs 1-3 ms where a new
one costs 50-100. The zygote starts in its own user (unless root), network and mount namespaces, puts a bridge, the
pods' name server and the proxy of Services there, and forks a shim for every ``start``. Shims do not need it
afterwards: a zygote that was killed is replaced by one that joins the namespaces of its surviving name server.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gc
import json
import os
import selectors
import signal
import socket
import sys
from pathlib import Path
from typing import Any, NoReturn

from sidings.node.network import GATEWAY, PREFIX_LENGTH, SERVICE_NETWORK, SERVICE_PREFIX_LENGTH
from sidings.node.sandbox import (
    identity,
    name_server,
    netlink,
    pod_network,
    probe,
    protocol,
    service_proxy,
    shim,
    syscalls,
)
from sidings.node.sandbox.spec import PROTOCOL, PodSandbox
from sidings.node.sandbox.starter import NamespacesStarter

BRIDGE = "sidings0"
_TMPFS_FLAGS = syscalls.MS_NOSUID | syscalls.MS_NODEV


class Zygote:
    """The event loop; ``directory`` is the node's state directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock = os.open(directory / "zygote.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._listener = protocol.listen(directory / "zygote.sock")
        _note(directory / "zygote.json", os.getpid())
        # Last, because a name server stays when the zygote fails.
        self._name_server = enter_namespaces(directory)
        self._service_proxy = living(directory / "service-proxy.json") or start_service_proxy(directory)
        self._bridge = socket.if_nametoindex(BRIDGE)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def serve(self) -> NoReturn:
        gc.freeze()
        while True:
            for key, _ in self._selector.select(timeout=1):
                key.data()
            self._reap()

    def _accept(self) -> None:
        connected, _ = self._listener.accept()
        connection = protocol.Connection(connected)
        self._selector.register(connected, selectors.EVENT_READ, lambda: self._serve_client(connection))

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
            for path in map(Path, request["directories"]):
                if path.is_mount():
                    syscalls.unmount(str(path))
                    path.rmdir()
            connection.send({"ok": True})
        elif operation == "shutdown":
            for pid in (self._name_server, self._service_proxy):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            (self._directory / "zygote.sock").unlink(missing_ok=True)
            connection.send({"ok": True})
            os._exit(0)
        else:
            connection.send({"ok": True, "protocol": PROTOCOL, "pid": os.getpid()})

    def _start(self, connection: protocol.Connection, pod: PodSandbox) -> None:
        shared_memory = self._shared_memory(pod.shared_memory)
        for volume in pod.memory_volumes:
            syscalls.mount("tmpfs", volume.directory, "tmpfs", _TMPFS_FLAGS, _memory_options(volume.size_bytes))
        if os.fork():
            # The child answers; from here on this connection is its.
            self._hang_up(connection)
            return
        try:
            self._become_shim(connection, pod, shared_memory)
        finally:
            os._exit(1)

    def _become_shim(self, connection: protocol.Connection, pod: PodSandbox, shared_memory: str) -> NoReturn:
        os.setsid()
        syscalls.set_name("sidings-shim")
        syscalls.become_subreaper()
        kept = os.dup(connection.fileno())
        os.closerange(3, kept)
        os.closerange(kept + 1, 1024)
        answer = socket.socket(fileno=kept)
        reply = protocol.Connection(answer)
        try:
            pod_network.join(pod, self._bridge)
            supervisor = shim.Shim(pod, NamespacesStarter(shared_memory))
        except OSError as error:
            reply.send({"error": str(error)})
            os._exit(1)
        reply.send({"ok": True, "pid": os.getpid()})
        answer.close()
        gc.freeze()
        supervisor.serve()

    def _shared_memory(self, group: str) -> str:
        path = self._directory / "shm" / group
        if not path.is_mount():
            path.mkdir(parents=True, exist_ok=True)
            syscalls.mount("tmpfs", str(path), "tmpfs", _TMPFS_FLAGS, "mode=1777")
        return str(path)

    def _reap(self) -> None:
        """Collect shims that left; a name server or proxy that died is replaced."""
        with contextlib.suppress(ChildProcessError):
            while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                if pid == self._name_server:
                    self._name_server = start_name_server(self._directory)
                elif pid == self._service_proxy:
                    self._service_proxy = start_service_proxy(self._directory)


def enter_namespaces(directory: Path) -> int:
    """Enter the node's namespaces, making them where no name server of this boot holds them; returns its pid.

    Raises ``OSError`` where the machine refuses them, or refuses a container's root in them.
    """
    if holder := living(directory / "name-server.json"):
        _join(holder)
        return holder
    if stranded := living(directory / "service-proxy.json"):
        os.kill(stranded, signal.SIGKILL)  # it is in namespaces that nobody can join any more
    (directory / "service-proxy.json").unlink(missing_ok=True)
    _make_namespaces()
    syscalls.mount("", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
    with netlink.Netlink() as node:
        loopback = socket.if_nametoindex("lo")
        node.set_up(loopback)
        node.add_local_range(loopback, SERVICE_NETWORK, SERVICE_PREFIX_LENGTH)
        node.add_bridge(BRIDGE)
        index = socket.if_nametoindex(BRIDGE)
        node.add_address(index, GATEWAY, PREFIX_LENGTH)
        node.set_up(index)
    if refused := probe.check(directory):
        raise OSError(errno.EPERM, refused, "container root")
    return start_name_server(directory)


def start_name_server(directory: Path) -> int:
    """Fork the name server into the current namespaces and note it as their holder."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind((GATEWAY, 53))
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            syscalls.set_name("sidings-dns")
            os.closerange(3, listener.fileno())
            os.closerange(listener.fileno() + 1, 1024)
            name_server.serve(listener, directory / "dns.json")
        finally:
            os._exit(1)
    listener.close()
    _note(directory / "name-server.json", pid)
    return pid


def start_service_proxy(directory: Path) -> int:
    """Fork the proxy of Services into the current namespaces; returns its pid."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            syscalls.set_name("sidings-proxy")
            os.closerange(3, 1024)
            service_proxy.serve(directory / "services.json")
        finally:
            os._exit(1)
    _note(directory / "service-proxy.json", pid)
    return pid


def living(note: Path) -> int:
    """The pid in ``note`` if exactly that process still runs, else 0."""
    if not note.exists():
        return 0
    known = json.loads(note.read_text())
    return int(known["pid"]) if identity.is_alive(known["pid"], known["start_time"], known["boot_id"]) else 0


def _note(path: Path, pid: int) -> None:
    """Write down which process this is, for those who come after a crash."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(identity.describe(pid)))
    fresh.replace(path)


def _make_namespaces() -> None:
    """As root without a user namespace: files in volumes then keep their owners. Otherwise with one."""
    own = syscalls.CLONE_NEWNET | syscalls.CLONE_NEWNS
    if os.geteuid() == 0:
        with contextlib.suppress(PermissionError):  # root of a container that lacks CAP_SYS_ADMIN
            syscalls.unshare(own)
            return
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(own | syscalls.CLONE_NEWUSER)
    syscalls.become_dumpable()
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1")


def _join(pid: int) -> None:
    kinds = [("mnt", syscalls.CLONE_NEWNS), ("net", syscalls.CLONE_NEWNET)]
    if Path(f"/proc/{pid}/ns/user").readlink() != Path("/proc/self/ns/user").readlink():
        kinds.insert(0, ("user", syscalls.CLONE_NEWUSER))
    namespaces = [(os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC), kind) for name, kind in kinds]
    for fd, kind in namespaces:
        syscalls.setns(fd, kind)
        os.close(fd)
    syscalls.become_dumpable()


def _memory_options(size_bytes: int) -> str:
    return f"mode=0777,size={size_bytes}" if size_bytes else "mode=0777"


def main() -> NoReturn:
    """Arguments: an fd to report on once, and the state directory."""
    ready = os.fdopen(int(sys.argv[1]), "w")
    syscalls.set_name("sidings-zygote")
    try:
        zygote = Zygote(Path(sys.argv[2]))
    except OSError as error:
        ready.write(json.dumps({"error": f"{error.filename or 'sandbox'}: {error.strerror}"}))
        ready.close()
        sys.exit(1)
    ready.write(json.dumps({"ok": True, "pid": os.getpid()}))
    ready.close()
    zygote.serve()
