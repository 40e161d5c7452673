"""The control plane's side of zygote and shims: start them, ask them, hear from them.

Every wait here is on a local process of ours and bounded by that process's life: a shim that dies closes its socket.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import sidings
from sidings.node.errors import SandboxFailed, SandboxUnavailable
from sidings.node.sandbox import conversation, identity
from sidings.node.sandbox.conversation import Conversation
from sidings.node.sandbox.host import library
from sidings.node.sandbox.protocol import MAX_MESSAGE, short_path
from sidings.node.sandbox.spec import PROTOCOL, Container, PodSandbox, SandboxStatus
from sidings.node.sandbox.tier import Choice, Tier, Wanted

_BOOT = "import sys; sys.path.insert(0, sys.argv.pop()); from sidings.node.sandbox.zygote import main; main()"
_AT_ONCE = 64
"""Requests to the zygote at a time; half of what its socket holds."""
_REMEDY = "sidings doctor   (says what would allow them; as root it may work at once: sudo sidings up)"


class SandboxClient:
    """One node's zygote, at ``directory``."""

    def __init__(self, directory: Path, interpreter: str = sys.executable, wanted: Choice = Choice.AUTO) -> None:
        self.directory = directory
        self._interpreter = interpreter
        self._wanted = wanted
        self._tier: Tier | None = None
        # A unix socket whose backlog is full refuses at once; asyncio takes that for a connection.
        self._gate = asyncio.Semaphore(_AT_ONCE)

    @property
    def tier(self) -> Tier:
        """What the zygote found; known once one was started or has answered."""
        assert self._tier is not None, "a zygote is ensured before pods are made"
        return self._tier

    async def ensure_zygote(self) -> None:
        """Have a zygote of this protocol answer; raises ``SandboxUnavailable`` where the machine refuses."""
        try:
            answer = await _ask(self._socket, {"op": "ping"})
        except (OSError, SandboxFailed):
            answer = {}
        if answer.get("protocol") == PROTOCOL:
            self._tier = Tier.from_json(answer["tier"])
            return
        if answer:
            await self.shutdown()
        # In place, 0.1 s: in a thread, a caller that is cancelled meanwhile would leave a zygote nobody knows of.
        self.start_zygote()

    def start_zygote(self, **credentials: Any) -> int:
        """Start a zygote and wait until it serves; returns its pid. ``credentials``: user, group of ``Popen``.

        Where the machine refuses namespaces and nobody insists on them, pods are processes of the machine.
        """
        if self._wanted == Choice.HOST:
            return self._start_on_host("--tier host", credentials)
        try:
            return self._start(Wanted(self._wanted), credentials)
        except SandboxUnavailable as error:
            if self._wanted != Choice.AUTO or not os.statvfs(self.directory).f_bavail:
                raise
            return self._start_on_host(error.cause, credentials)

    def _start_on_host(self, refused: str, credentials: dict[str, Any]) -> int:
        path, missing = library.ensure(self.directory / "libraries")
        reasons = "; ".join(filter(None, (refused, missing)))
        return self._start(Wanted(Choice.HOST, path, reasons), credentials)

    def _start(self, wanted: Wanted, credentials: dict[str, Any]) -> int:
        """Its own session, log file and empty environment: nothing of the caller keeps a terminal, a pipe or a secret
        alive in it."""
        reader, writer = os.pipe()
        package = str(Path(sidings.__file__).parent.parent)
        with (self.directory / "zygote.log").open("ab") as log:
            process = subprocess.Popen(
                [
                    self._interpreter,
                    "-I",
                    "-S",
                    "-c",
                    _BOOT,
                    str(writer),
                    str(self.directory),
                    json.dumps(asdict(wanted)),
                    package,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={},
                pass_fds=(writer,),
                start_new_session=True,
                **credentials,
            )
        os.close(writer)
        with os.fdopen(reader) as report:
            text = report.read()
        answer: dict[str, Any] = (
            json.loads(text) if text else {"error": f"it ended at once, see {self.directory}/zygote.log"}
        )
        if "error" in answer:
            process.wait()
            # Not by errno: a machine that allows no more namespaces says "no space left on device" as well.
            if not os.statvfs(self.directory).f_bavail:
                raise SandboxUnavailable(
                    f"no space left for pods in {self.directory}",
                    cause=answer["error"],
                    remedy=f"df -h {self.directory}",
                )
            raise SandboxUnavailable("this machine refuses pod sandboxes", cause=answer["error"], remedy=_REMEDY)
        self._tier = Tier.from_json(answer["tier"])
        process.returncode = 0  # it is meant to outlive us: no ResourceWarning about it
        return int(answer["pid"])

    async def start_pod(self, pod: PodSandbox) -> None:
        """Make the pod's namespaces and its shim; raises ``SandboxFailed``. A zygote that died is replaced."""
        request = {"op": "start", "pod": pod.to_json()}
        try:
            await self._ask_zygote(request)
        except OSError:
            await self.ensure_zygote()
            await self._ask_zygote(request)

    async def unmount(self, directories: Iterable[Path]) -> None:
        """Give back tmpfs mounts (a job's shared memory) that no pod uses any more, and their mount points."""
        await self._ask_zygote({"op": "unmount", "directories": [str(path) for path in directories]})

    async def shutdown(self) -> None:
        """End zygote and name server; pods go on. A zygote that is gone already is no error."""
        try:
            await _ask(self._socket, {"op": "shutdown"})
        except (OSError, SandboxFailed):
            return

    async def run(self, pod_directory: Path, container: Container) -> None:
        """Start ``container``; returns once it runs or its failed start is recorded. Raises ``SandboxFailed``."""
        await _ask(pod_directory / "shim.sock", {"op": "run", "container": container.to_json()})

    async def stop(self, pod_directory: Path, containers: list[str], grace: float) -> None:
        """SIGTERM now, SIGKILL after ``grace`` seconds; 0: SIGKILL at once."""
        await _ask(pod_directory / "shim.sock", {"op": "stop", "containers": containers, "grace": grace})

    async def new_socket(self, pod_directory: Path) -> socket.socket:
        """A new TCP socket in the pod's network, not blocking, not connected. Raises ``SandboxFailed``."""
        async with conversation.opened(pod_directory / "shim.sock") as shim:
            await shim.ask({"op": "socket"})
            [descriptor] = shim.take_descriptors()
        made = socket.socket(fileno=descriptor)
        made.setblocking(False)
        return made

    @asynccontextmanager
    async def execute(
        self,
        pod_directory: Path,
        container: str,
        argv: Sequence[str],
        *,
        descriptors: Sequence[int] = (),
        size: tuple[int, int] | None = None,
    ) -> AsyncIterator[Conversation]:
        """Start ``argv`` in ``container`` on ``descriptors`` (stdin, stdout, stderr), or on a terminal without them,
        which has ``size`` (columns, rows) from the start.

        The caller closes its descriptors; the terminal's master is taken from the conversation, whose next answer
        has the ``exit_code``. Leaving the context before that hangs up on the command. Raises ``SandboxFailed`` where
        it cannot be started.
        """
        request = {"op": "exec", "container": container, "argv": list(argv), "terminal": not descriptors, "size": size}
        async with conversation.opened(pod_directory / "shim.sock") as shim:
            await shim.ask(request, descriptors)
            yield shim

    @asynccontextmanager
    async def attach(
        self, pod_directory: Path, container: str, outputs: Mapping[str, int], *, stdin: bool
    ) -> AsyncIterator[tuple[dict[str, Any], Conversation]]:
        """Copy the output of ``container`` from now on to the pipes ``outputs`` (by stream), until the context is left.

        The answer says in ``log`` (inode, bytes) where the log ended at that moment, in ``stdin`` and ``terminal``
        whether the descriptor to be taken is the container's input, or the master of its terminal. Raises
        ``SandboxFailed`` where the container does not run.
        """
        request = {"op": "attach", "container": container, "outputs": list(outputs), "stdin": stdin}
        async with conversation.opened(pod_directory / "shim.sock") as shim:
            yield await shim.ask(request, list(outputs.values())), shim

    async def leave(self, pod_directory: Path) -> None:
        """End the pod's shim and all that still runs in it. A shim that is gone already is no error."""
        try:
            await _ask(pod_directory / "shim.sock", {"op": "leave"})
        except (OSError, SandboxFailed):
            return

    async def watch(self, pod_directory: Path) -> AsyncIterator[SandboxStatus]:
        """The pod's status now and after every change, until its shim is gone."""
        async with _connected(pod_directory / "shim.sock") as (reader, writer):
            writer.write(b'{"op": "watch"}\n')
            while line := await reader.readline():
                yield SandboxStatus.from_json(json.loads(line))

    async def _ask_zygote(self, request: dict[str, Any]) -> None:
        async with self._gate:
            await _ask(self._socket, request)

    @property
    def _socket(self) -> Path:
        return self.directory / "zygote.sock"


def read_status(pod_directory: Path) -> SandboxStatus | None:
    """The last status a shim wrote, also long after its end."""
    try:
        text = (pod_directory / "status.json").read_text()
    except FileNotFoundError:
        return None
    return SandboxStatus.from_json(json.loads(text))


def is_alive(status: SandboxStatus) -> bool:
    """Whether the shim that wrote ``status`` still runs."""
    return identity.is_alive(status.pid, status.start_time, status.boot_id)


@asynccontextmanager
async def _connected(path: Path) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    with short_path(path) as address:
        reader, writer = await asyncio.open_unix_connection(address, limit=MAX_MESSAGE)
    try:
        yield reader, writer
    finally:
        writer.close()


async def _ask(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """One request, one answer; raises ``SandboxFailed`` with the other side's words."""
    async with _connected(path) as (reader, writer):
        writer.write(json.dumps(request).encode() + b"\n")
        line = await reader.readline()
    if not line:
        raise SandboxFailed(f"{path.name} hung up", cause="the process behind it ended")
    answer: dict[str, Any] = json.loads(line)
    if "error" in answer:
        raise SandboxFailed(str(answer["error"]))
    return answer
