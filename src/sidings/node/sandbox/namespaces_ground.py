"""Tiers T1 and T1b: the node has a network and mounts of its own, and every pod has its namespaces below them."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
from collections.abc import Collection, Iterable
from pathlib import Path

from sidings.node.container_engine.starter import EngineStarter
from sidings.node.network import (
    GATEWAY,
    INSIDE,
    LOOPBACK,
    MAX_NODES,
    PREFIX_LENGTH,
    SERVICE_NETWORK,
    SERVICE_PREFIX_LENGTH,
    node_address,
)
from sidings.node.sandbox import netlink, outside, pod_network, probe, redirect, syscalls, user_namespace
from sidings.node.sandbox.spec import PodSandbox
from sidings.node.sandbox.starter import NamespacesStarter, Starter
from sidings.node.sandbox.tier import FULL, Kind, Tier, Views

BRIDGE = "sidings0"
_TMPFS_FLAGS = syscalls.MS_NOSUID | syscalls.MS_NODEV
NOTHING_OF_ITS_OWN = Views(proc=False, sysfs=False, host_name=False)


class NamespacesGround:
    """A bridge in a network namespace, tmpfs mounts in a mount namespace, in a user namespace unless root."""

    def __init__(self, directory: Path, tier: Tier | None = None) -> None:
        """``tier`` as an earlier zygote found it, or as a user wants it; None: find out."""
        self._directory = directory
        self._tier = tier
        self._bridge = 0

    @property
    def tier(self) -> Tier:
        assert self._tier is not None, "the ground is entered first"
        return self._tier

    def enter(self, holder: int) -> None:
        living = outside.living(self._directory)
        if living and not holder:
            os.kill(living, signal.SIGKILL)  # its listeners are in a network that nobody is in any more
        channel = None if living and holder else outside.fork(self._directory)
        if holder:
            _join(holder)
        else:
            self._make()
        self._bridge = socket.if_nametoindex(BRIDGE)
        if channel is not None:
            outside.equip(channel, self.placed)

    def name_server_sockets(self) -> tuple[socket.socket, socket.socket]:
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind((GATEWAY, 53))
        return datagrams, socket.create_server((GATEWAY, 53))

    def placed(self, host: str, port: int) -> tuple[str, int]:
        return host, port

    def prepare(self, pod: PodSandbox) -> None:
        path = self._shared_memory(pod)
        if not path.is_mount():
            path.mkdir(parents=True, exist_ok=True)
            syscalls.mount("tmpfs", str(path), "tmpfs", _TMPFS_FLAGS, "mode=1777")
        for volume in pod.memory_volumes:
            syscalls.mount("tmpfs", volume.directory, "tmpfs", _TMPFS_FLAGS, _memory_options(volume.size_bytes))

    def settle(self, pod: PodSandbox) -> Starter:
        views = self.tier.views
        shared_memory = str(self._shared_memory(pod))
        starter = EngineStarter(pod.engine, pod.uid, shared_memory) if pod.engine is not None else None
        if pod.host_network:
            pod_network.stay(pod, own_users=not views.proc, host_name=views.host_name)
        else:
            pod_network.join(
                pod,
                self._bridge,
                own_users=not views.proc,
                host_name=views.host_name,
                enter=starter.namespaces(pod.hostname) if starter is not None else None,
            )
        if starter is not None:
            return starter
        return NamespacesStarter(shared_memory, views)

    def vacate(self, pod: PodSandbox) -> None:
        if pod.engine is not None:
            EngineStarter(pod.engine, pod.uid, str(self._shared_memory(pod))).leave()
        for volume in pod.memory_volumes:
            syscalls.unmount(volume.directory)

    def sweep(self, kept: Collection[int]) -> None:
        """The kernel has done it."""

    def admits(self, pid: int) -> bool:
        """Pods do not see the sockets."""
        return True

    def release(self, directories: Iterable[Path]) -> None:
        for path in directories:
            if path.is_mount():
                syscalls.unmount(str(path))
                path.rmdir()

    def _shared_memory(self, pod: PodSandbox) -> Path:
        return self._directory / "shm" / pod.shared_memory

    def _make(self) -> None:
        make_namespaces()
        syscalls.mount("", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
        with netlink.Netlink() as node:
            loopback = socket.if_nametoindex("lo")
            node.set_up(loopback)
            node.add_local_range(loopback, SERVICE_NETWORK, SERVICE_PREFIX_LENGTH)
            node.add_bridge(BRIDGE)
            index = socket.if_nametoindex(BRIDGE)
            node.add_address(index, GATEWAY, PREFIX_LENGTH)
            node.set_up(index)
            node.refuse_the_rest()
            with contextlib.suppress(OSError):  # without routing by rules pods in the node's network have no way out
                node.route_own(loopback)
            for number in range(1, MAX_NODES + 1):
                node.add_local_range(loopback, node_address(number), 32)
        with contextlib.suppress(OSError):  # where /proc/sys is read-only, what is not caught is dropped instead
            Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
        no_way_out = ""
        try:
            redirect.install((*INSIDE, LOOPBACK), GATEWAY, outside.REDIRECT_PORT)
        except OSError as error:
            no_way_out = f"nf_tables: {error.strerror}"
        found = probe.check(self._directory, self._tier.views if self._tier else None)
        if found.refused:
            raise OSError(errno.EPERM, found.refused, "container root")
        kind = Kind.NAMESPACES if found.views == FULL else Kind.NESTED
        self._tier = Tier(kind, found.views, "; ".join(found.missing), no_way_out)


def make_namespaces() -> None:
    """As root without a user namespace: files in volumes then keep their owners. Otherwise with one."""
    own = syscalls.CLONE_NEWNET | syscalls.CLONE_NEWNS
    if os.geteuid() == 0:
        with contextlib.suppress(PermissionError):  # root of a container that lacks CAP_SYS_ADMIN
            syscalls.unshare(own)
            return
    user_namespace.enter(own)


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
