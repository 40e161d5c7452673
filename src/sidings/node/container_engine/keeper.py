"""The process that stands for a container of an engine, as init stands for one of ours.

It speaks init's messages with the shim (``sandbox.init``), and turns them into commands of the engine: its children.
podman's containers are on the pipes of the shim themselves, so output takes no way around; the keeper then waits for
podman's monitor. A terminal, and docker, need the engine's client in between: the keeper waits for that.

It is no parent of the container's processes: whoever ends the keeper (``EngineStarter.kill`` and ``clear``, a shim
that dies) has the engine end the container.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from sidings.node import masks
from sidings.node.container_engine import invocation, program
from sidings.node.container_engine.complaint import complaint
from sidings.node.container_engine.engine import PODMAN, ContainerEngine
from sidings.node.container_engine.engine_sessions import EngineSessions
from sidings.node.container_engine.invocation import State
from sidings.node.container_engine.memory_group import MemoryGroup
from sidings.node.sandbox import mounts, protocol, syscalls, workload
from sidings.node.sandbox.init import Streams
from sidings.node.sandbox.spec import Bind, Container

_MESSAGE = 256 * 1024
_NOT_STARTED = (126, 127)
"""Exit codes of an engine for a command that cannot be run or is not there; others are about the container."""
_NO_DIRECTORY = "workdir"
_LOOK_SECONDS = 0.02
_LOOK_FOR_PROCESS_SECONDS = 0.005
_TEXT_BYTES = 64 * 1024
KILLED = 128 + signal.SIGKILL


class NotStarted(Exception):
    """The container does not run; ``stage`` and ``exit_code`` as init tells them."""

    def __init__(self, message: str, exit_code: int = workload.CANNOT_START) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.stage = "start" if exit_code in _NOT_STARTED else "root"


class Keeper:
    """The life of one container of pod ``pod_uid``."""

    def __init__(
        self,
        engine: ContainerEngine,
        pod_uid: str,
        container: Container,
        managed: Sequence[Bind],
        shared_memory: str,
        control: socket.socket,
        streams: Streams,
    ) -> None:
        self._engine = engine
        self._pod_uid = pod_uid
        self._container = container
        self._name = invocation.container_name(pod_uid, container)
        self._managed = list(managed)
        self._binds: list[Bind] = []
        self._shared_memory = shared_memory
        self._control = control
        self._streams = streams
        self._main = 0
        """The child whose end is the container's: podman's monitor, or the client that is attached."""
        self._memory: MemoryGroup | None = None
        self._out_of_memory = False
        self._sessions = EngineSessions(container, control, engine, self._name)

    def keep(self) -> NoReturn:
        syscalls.close_others([self._control.fileno(), *(fd for fd in self._streams if fd is not None)])
        if not self._control.recv(_MESSAGE):
            os._exit(1)
        syscalls.set_name("sidings-keeper")
        syscalls.become_subreaper()  # podman's monitor leaves its parent, and comes to us
        wakeup = _wakeup()
        try:
            self._start()
        except NotStarted as error:
            self._send({"failed": {"stage": error.stage, "message": str(error), "exit_code": error.exit_code}})
            os._exit(1)
        self._supervise(wakeup)

    # Start

    def _start(self) -> None:
        try:
            secrets = self._container.root.secrets
            self._binds = [_resolved(bind, secrets) for bind in self._container.root.binds] + self._managed
            if self._engine.name == PODMAN and not self._container.terminal:
                self._start_on_our_pipes()
            else:
                self._start_attached()
        except (invocation.Unmountable, OSError) as error:
            raise NotStarted(str(error)) from error

    def _start_on_our_pipes(self) -> None:
        """podman hands its own descriptors on. Its errors come on the same: stderr is ours until it has started."""
        monitor_file = Path(self._container.scratch, "monitor.pid")
        reader, writer = os.pipe()
        streams = Streams(self._streams.stdin, self._streams.stdout, writer)
        code, text = self._run_detached(streams, monitor_file, reader)
        if code and _NO_DIRECTORY in text and self._container.directory:
            self._make_directory()
            code, text = self._run_detached(streams, monitor_file, reader)
        os.close(writer)
        if code:
            raise NotStarted(complaint(text), code)
        self._main = int(monitor_file.read_text())
        self._tell_started(self._state(), {"stderr": reader})

    def _run_detached(self, streams: Streams, monitor_file: Path, reader: int) -> tuple[int, str]:
        process_file = monitor_file.with_name("process.pid")
        process_file.unlink(missing_ok=True)  # of an earlier attempt
        wanted = invocation.run_detached(
            self._engine, self._pod_uid, self._container, self._binds, self._shared_memory, monitor_file, process_file
        )
        client = program.spawn(
            wanted.argv, wanted.environment, stdin=streams.stdin, stdout=streams.stdout, stderr=streams.stderr
        )
        while (code := program.ended(client)) is None:
            # Here it waits for podman to let it go; by the time that podman says so it may have used up its memory.
            # crun makes the file before it writes it.
            if self._memory is None and process_file.exists() and (pid := process_file.read_text()):
                self._memory = MemoryGroup(int(pid))
            time.sleep(_LOOK_FOR_PROCESS_SECONDS)
        if not code:
            return 0, ""
        text = os.read(reader, _TEXT_BYTES).decode(errors="replace") if _readable(reader) else ""
        self._remove()
        return code, text

    def _start_attached(self) -> None:
        self._create()
        master, opened = None, []
        reader, writer = os.pipe()
        streams = Streams(self._streams.stdin, self._streams.stdout, writer)
        if self._container.terminal:
            master, slave = os.openpty()
            os.close(reader)
            os.close(writer)
            opened, streams, reader = [slave], Streams(slave, slave, slave), master
        else:
            opened = [writer]
        argv = invocation.start(self._engine, self._name, stdin=self._container.stdin)
        command = workload.Command(argv, dict(self._engine.environment), "/", *streams, self._container.terminal)
        try:
            self._main = workload.start(command)
        except workload.StartError as error:
            raise NotStarted(error.message) from error
        finally:
            for fd in opened:
                os.close(fd)
        state = self._wait_until_begun(reader)
        self._tell_started(state, {"terminal" if master is not None else "stderr": reader})

    def _create(self) -> None:
        wanted = invocation.create(self._engine, self._pod_uid, self._container, self._binds, self._shared_memory)
        made = program.ask(wanted.argv, wanted.environment)
        if made.exit_code and _NO_DIRECTORY in made.errors and self._container.directory:
            self._remove()
            self._make_directory()
            wanted = invocation.create(self._engine, self._pod_uid, self._container, self._binds, self._shared_memory)
            made = program.ask(wanted.argv, wanted.environment)
        if made.exit_code:
            self._remove()
            raise NotStarted(complaint(made.errors))

    def _wait_until_begun(self, reader: int) -> State:
        """Until the container runs or has run; a client that ended without that says why on ``reader``."""
        while True:
            gone = os.waitid(os.P_PID, self._main, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            state = self._state()
            if state is not None and state.has_begun:
                return state
            if gone is not None:
                text = os.read(reader, _TEXT_BYTES).decode(errors="replace") if _readable(reader) else ""
                self._remove()
                codes = (
                    gone.si_status,
                    state.exit_code if state is not None else 0,
                )
                code = next((code for code in codes if code in _NOT_STARTED), workload.CANNOT_START)
                raise NotStarted(complaint(text), code)
            time.sleep(_LOOK_SECONDS)

    def _make_directory(self) -> None:
        """A ``workingDir`` that the image lacks is made, as container runtimes of clusters do."""
        made = Path(self._container.scratch, "cwd")
        self._binds.append(Bind(str(made), self._container.directory, read_only=False))

    def _tell_started(self, state: State | None, opened: dict[str, int]) -> None:
        image = self._container.image
        assert image is not None
        message: dict[str, Any] = {"started": True, "streams": list(opened)}
        if state is not None:
            if state.pid and self._memory is None:
                self._memory = MemoryGroup(state.pid)
            message |= {"pid": state.pid, "ids": [f"{self._engine.name}://{state.id}", image.reference]}
        self._send(message, list(opened.values()))
        for fd in (*self._streams, *opened.values()):
            if fd is not None:
                os.close(fd)

    # Life and end

    def _supervise(self, wakeup: int) -> NoReturn:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(wakeup, select.POLLIN)
        memory = self._memory
        if memory is not None and memory.ended is not None:
            poll.register(memory.ended, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poll.poll()}
            if memory is not None and memory.ended in ready:
                self._out_of_memory = memory.kills() > 0
                poll.unregister(memory.ended)
            if wakeup in ready and signal.SIGTERM in os.read(wakeup, 4096):
                self._remove()
            if self._control.fileno() in ready:
                self._listen()
            if self._reap():
                self._finish()

    def _listen(self) -> None:
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE, protocol.MAX_DESCRIPTORS)
        except ConnectionError:
            message, descriptors = b"", []
        if not message:  # the shim is gone
            self._remove()
            os._exit(1)
        request = json.loads(message)
        if "exec" in request:
            self._sessions.start(request["exec"], descriptors)
        elif "hang_up" in request:
            self._sessions.hang_up(request["hang_up"])
        else:
            image = self._container.image
            name = image.stop_signal if image and image.stop_signal else signal.Signals(request["signal"]).name
            # Without waiting: the shim's next message may be urgent. It is reaped like everything else.
            program.spawn(invocation.kill(self._engine, self._name, name), self._engine.environment)

    def _reap(self) -> bool:
        """Whether the main child has ended."""
        over = False
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = found
                over = over or pid == self._main
                self._sessions.ended(pid, status)
        return over

    def _finish(self) -> NoReturn:
        state = self._state()
        if state is None or state.status == "running":  # removed by force, or its monitor was killed
            ending = {"exit_code": KILLED, "signal": signal.SIGKILL}
        else:
            killed = state.out_of_memory or self._out_of_memory
            ending = {"exit_code": state.exit_code, "signal": 0, "out_of_memory": killed}
        self._send({"exited": ending})
        os._exit(0)

    # The engine

    def _state(self) -> State | None:
        """None where the engine has no such container (any more)."""
        asked = program.ask(invocation.inspect(self._engine, self._name), self._engine.environment)
        return None if asked.exit_code else invocation.parse_state(asked.output)

    def _remove(self) -> None:
        remove(self._engine, self._name)

    def _send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        with contextlib.suppress(OSError):  # the shim has let go of us, or is gone
            socket.send_fds(self._control, [json.dumps(message).encode()], descriptors)


def remove(engine: ContainerEngine, name: str) -> None:
    """End the container and wait until nothing is left of it."""
    program.run(invocation.remove(engine, name), engine.environment)


def _resolved(bind: Bind, secrets: Sequence[str]) -> Bind:
    """``bind`` as it really is. An engine knows neither that a subPath may not leave its volume, nor what is hidden.

    Who may write above the path can still put a link in its place before the engine mounts it, which ``rootfs``, with
    descriptors, does not allow.
    """
    fd = mounts.open_source(bind.source, bind.sub_path)
    try:
        real = str(Path(f"/proc/self/fd/{fd}").readlink())
    finally:
        os.close(fd)
    if secret := masks.strayed(bind.source, real, secrets):
        raise invocation.Unmountable(f"cannot mount {bind.target}: it leads to {secret}, which is hidden from pods")
    return Bind(real, bind.target, bind.read_only)


def _readable(fd: int) -> bool:
    return bool(select.select([fd], [], [], 0)[0])


def _wakeup() -> int:
    """An fd from which the numbers of SIGCHLD and SIGTERM can be read as they come."""
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda number, frame: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader
