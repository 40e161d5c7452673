"""Where a container's processes are in tiers T2 and T3: among the machine's own, with what they are told changed."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections.abc import Sequence
from pathlib import Path

from sidings.node.network import loopback
from sidings.node.sandbox import syscalls
from sidings.node.sandbox.credentials import DEFAULT_CAPABILITIES
from sidings.node.sandbox.host import landlock, pod_paths, sweep, text
from sidings.node.sandbox.mounts import open_source
from sidings.node.sandbox.name_server import HOLD_SECONDS, Table
from sidings.node.sandbox.rootfs import RootError
from sidings.node.sandbox.spec import Bind, Container, PodSandbox
from sidings.node.sandbox.workload import Command, offer_to_the_kernel

_POLL_SECONDS = 0.05
_OF_THE_MACHINE = ("/etc/resolv.conf", "/etc/nsswitch.conf")
"""Files of a pod that only hold with a name server at port 53."""
_LOOPBACK_INTERFACE = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")


@dataclasses.dataclass(frozen=True)
class HostFacts:
    """What all pods of the node share."""

    names: Path
    """The name server's table."""
    name_server: str
    """Its ``address:port``."""
    library: str
    """What is preloaded; "" for tier T3."""
    landlock: bool


class HostPlace:
    """One container on the machine itself."""

    def __init__(self, container: Container, managed: Sequence[Bind], pod: PodSandbox, facts: HostFacts) -> None:
        self._container = container
        self._managed = [bind for bind in managed if bind.target not in _OF_THE_MACHINE]
        self._pod = pod
        self._facts = facts
        self._paths = pod_paths.paths(container, self._managed)
        self._names: dict[str, str] = {}
        self._search: list[str] = []

    def enter(self) -> None:
        syscalls.become_subreaper()
        self._search = _search(Path(self._pod.directory, "files", "etc", "resolv.conf").read_text())
        for bind in self._container.root.binds:
            self._check(bind)
        for link, source in pod_paths.nested(self._paths, self._container.scratch):
            Path(link).parent.mkdir(parents=True, exist_ok=True)
            if not Path(link).exists():
                Path(link).symlink_to(source)
        if not self._facts.library:
            self._names = self._known_names()
        offer_to_the_kernel()  # now: processes below could not, with /proc read-only
        if self._facts.landlock:
            library = [self._facts.library] if self._facts.library else []
            readable = pod_paths.readable(self._container, self._managed)
            landlock.restrict([*library, *readable], pod_paths.writable(self._container, self._managed))
        # Root's further rights would undo much of that: with CAP_PERFMON it reads every process.
        syscalls.keep_capabilities(DEFAULT_CAPABILITIES & syscalls.capabilities())

    def command(self, command: Command) -> Command:
        return self._preloaded(command) if self._facts.library else self._replaced(command)

    def leave(self) -> None:
        sweep.end_children()

    def _check(self, bind: Bind) -> None:
        """A subPath is made where it is missing, and does not leave its volume."""
        try:
            os.close(open_source(bind.source, bind.sub_path))
        except OSError as error:
            inside = f", subPath {bind.sub_path!r}" if bind.sub_path else ""
            raise RootError(f"cannot mount {bind.target}{inside}: {error.strerror}") from error

    def _preloaded(self, command: Command) -> Command:
        before = command.environment.get("LD_PRELOAD", "")
        environment = {
            **self._marked(command.environment),
            "LD_PRELOAD": f"{self._facts.library}:{before}" if before else self._facts.library,
            "SIDINGS_PATHS": "\n".join(f"{target}\t{source}" for target, source in self._paths.items()),
            "SIDINGS_ADDRESS": loopback(self._pod.address, 0)[0],
            "SIDINGS_NAME": self._pod.hostname,
            "SIDINGS_DNS": self._facts.name_server,
            "SIDINGS_SEARCH": " ".join(self._search),
            "SIDINGS_HOSTS": f"{self._pod.directory}/files/etc/hosts",
        }
        # Init itself is not preloaded: it finds the program and the folder by their real paths.
        argv = (pod_paths.moved(command.argv[0], self._paths), *command.argv[1:])
        directory = pod_paths.moved(command.directory, self._paths)
        return dataclasses.replace(command, argv=argv, environment=environment, directory=directory)

    def _replaced(self, command: Command) -> Command:
        variables, ports = text.with_ports(command.environment, self._pod.shared_memory)
        environment = {name: self._told(value, ports) for name, value in variables.items()}
        argv = tuple(self._told(word, ports) for word in command.argv)
        directory = pod_paths.moved(command.directory, self._paths)
        scratch = self._container.scratch
        return dataclasses.replace(
            command,
            argv=argv,
            environment={"TMPDIR": f"{scratch}/tmp", **self._marked(environment)},
            directory=directory,
        )

    def _marked(self, environment: dict[str, str]) -> dict[str, str]:
        return {**dict.fromkeys(_LOOPBACK_INTERFACE, "lo"), **environment, sweep.MARK: self._pod.directory}

    def _told(self, word: str, ports: dict[str, str]) -> str:
        word = text.with_addresses(text.with_names(text.with_paths(word, self._paths), self._names))
        for asked, given in ports.items():
            word = word.replace(asked, given)
        return word

    def _known_names(self) -> dict[str, str]:
        """Names of the cluster and their addresses here, once those that the command mentions are known."""
        said = " ".join((*self._container.argv, *self._container.environment.values()))
        deadline = time.monotonic() + HOLD_SECONDS
        while True:
            table = self._table()
            found = {name: loopback(addresses[0], 0)[0] for name, addresses in table.names.items() if addresses}
            for domain in self._search:
                short = {name.removesuffix(f".{domain}"): at for name, at in found.items() if name.endswith(domain)}
                found = {**{name: at for name, at in short.items() if "." in name}, **found}
            awaited = any(f".{zone}" in said for zone in table.zones) and not any(name in said for name in found)
            if not awaited or time.monotonic() > deadline:
                return found
            time.sleep(_POLL_SECONDS)

    def _table(self) -> Table:
        with contextlib.suppress(OSError):
            return Table.load(self._facts.names.read_text())
        return Table()


def _search(resolver: str) -> list[str]:
    lines = [line.split()[1:] for line in resolver.splitlines() if line.startswith("search ")]
    return lines[-1] if lines else []
