"""Tiers T2 and T3: nothing is made for the node but a name server; its pods stand on the machine itself."""

from __future__ import annotations

import contextlib
import errno
import json
import shutil
import socket
from collections.abc import Collection, Iterable
from pathlib import Path

from sidings.node.network import GATEWAY, POD_NETWORK, PREFIX_LENGTH, loopback
from sidings.node.sandbox import identity, outside, process_tree, syscalls
from sidings.node.sandbox.host import landlock, sweep
from sidings.node.sandbox.host.host_place import HostFacts
from sidings.node.sandbox.host.host_starter import HostStarter
from sidings.node.sandbox.spec import PodSandbox
from sidings.node.sandbox.tier import Kind, Tier, Views

_SUPERVISORS = frozenset(("sidings-init", "sidings-shim", "sidings-zygote"))
_PORT_NOTE = "name-server-port"
_NO_LANDLOCK = "files are not kept apart, this kernel has no Landlock"


def found(library: str, refused: str) -> Tier:
    """``library`` is what pods preload (tier T2), "" for none (T3); ``refused`` is why there are no namespaces."""
    kind = Kind.LIBRARY if library else Kind.ENVIRONMENT
    reasons = [refused, "" if landlock.version() else _NO_LANDLOCK]
    return Tier(kind, Views(False, False, bool(library)), "; ".join(filter(None, reasons)), library=library)


class HostGround:
    """A tier as ``found`` now or by an earlier zygote."""

    def __init__(self, directory: Path, tier: Tier) -> None:
        self._directory = directory
        self._tier = tier

    @property
    def tier(self) -> Tier:
        return self._tier

    def enter(self, holder: int) -> None:
        syscalls.become_subreaper()
        sweep.end_marked(self._abandoned())
        if outside.living(self._directory):
            return
        channel = outside.fork(self._directory)
        try:
            outside.equip(channel, self.placed)
        except OSError as error:
            channel.close()
            network = f"{loopback(POD_NETWORK, 0)[0]}/{PREFIX_LENGTH}"
            text = f"pods of another engine use the addresses {network} of this machine (sidings down there ends them)"
            raise OSError(error.errno, text, "host tier") from error

    def name_server_sockets(self) -> tuple[socket.socket, socket.socket]:
        """At the same port as before, which running pods know."""
        note = self._directory / _PORT_NOTE
        address, _ = self.placed(GATEWAY, 0)
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind((address, int(note.read_text()) if note.exists() else 0))
        port = datagrams.getsockname()[1]
        note.write_text(str(port))
        return datagrams, socket.create_server((address, port))

    def placed(self, host: str, port: int) -> tuple[str, int]:
        return loopback(host, port)

    def prepare(self, pod: PodSandbox) -> None:
        """Shared memory is the machine's, and volumes of medium Memory are on disk."""

    def settle(self, pod: PodSandbox) -> HostStarter:
        if pod.engine is not None:
            raise OSError(errno.ENOTSUP, "a container engine needs namespaces of the node (tier T1)", pod.engine.name)
        port = (self._directory / _PORT_NOTE).read_text()
        server = f"{loopback(GATEWAY, 0)[0]}:{port}"
        return HostStarter(
            pod, HostFacts(self._directory / "dns.json", server, self._tier.library, landlock.version() > 0)
        )

    def vacate(self, pod: PodSandbox) -> None:
        """Nothing was made for it."""

    def release(self, directories: Iterable[Path]) -> None:
        for path in directories:
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(path)

    def sweep(self, kept: Collection[int]) -> None:
        sweep.end_children(kept)

    def admits(self, pid: int) -> bool:
        """A pod's processes have a supervisor above them, however often they fork."""
        return _SUPERVISORS.isdisjoint(map(_name_of, process_tree.ancestors(pid)))

    def _abandoned(self) -> set[str]:
        """Directories of pods whose shim is dead: all of their processes must be."""
        found = set()
        for path in self._directory.glob("pods/*/status.json"):
            status = json.loads(path.read_text())
            if not identity.is_alive(status["pid"], status["start_time"], status["boot_id"]):
                found.add(str(path.parent))
        return found


def _name_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""
