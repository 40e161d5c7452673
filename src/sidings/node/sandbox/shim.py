"""One pod's supervisor: owns its namespaces, starts containers in them, keeps logs and ``status.json``.

It is single-threaded (PDEATHSIG of its inits is about the thread that made them), independent of zygote and control
plane, and answers on ``shim.sock``:

* ``run`` starts an attempt of a container and answers once the workload runs or could not be started;
* ``stop`` sends SIGTERM and, after ``grace`` seconds, SIGKILL to everything in the containers named;
* ``watch`` sends the status now and after every change;
* ``socket`` hands out a TCP socket of the pod's network: whoever connects it is inside, for probes and forwarded ports;
* ``exec`` starts a command in a container, on the caller's descriptors (or on a terminal whose master comes with the
  answer), and tells its exit code in a second answer; a caller that hangs up takes it along;
* ``attach`` copies a container's output to the caller's descriptors from now on, and says where its log ends now;
* ``leave`` ends the shim (and with it whatever still runs).
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from sidings.node.sandbox import cgroups, identity, init, launcher, memory_use, protocol, syscalls
from sidings.node.sandbox.attachments import Attachment
from sidings.node.sandbox.init import Streams
from sidings.node.sandbox.log_writer import LogWriter
from sidings.node.sandbox.spec import Attempt, Bind, Container, PodSandbox, SandboxStatus
from sidings.node.sandbox.visits import Visits, close_all

KILLED = 128 + signal.SIGKILL
_SAVE_AGAIN_SECONDS = 1.0
_TERMINATION_MESSAGE_BYTES = 4096
_CHUNK = 256 * 1024
_MEMORY_SECONDS = 1.0
OUT_OF_MEMORY = "OOMKilled"


@dataclass
class _Running:
    """A container whose init lives."""

    container: Container
    attempt: Attempt
    init: int
    control: socket.socket
    log: LogWriter
    pipes: dict[str, int]
    """Our ends of its output by stream; a terminal's master counts as stdout."""
    caller: protocol.Connection | None
    visits: Visits
    stdin: int | None = None
    """Our end of its input; None for a container without one, or when a session has taken it over."""
    paused: bool = False
    kill_at: float | None = None
    main_ended: tuple[int, int] | None = None
    """Exit code and signal of the main process while others of the container still take their grace."""
    memory_at: float = 0
    """When a limit that only we keep is looked at next."""
    out_of_memory: bool = False


class Shim:
    """The event loop of one pod, in the process that already is in the pod's namespaces."""

    def __init__(self, pod: PodSandbox, shared_memory: str) -> None:
        self._pod = pod
        self._shared_memory = shared_memory
        self._directory = Path(pod.directory)
        pid = os.getpid()
        self._status = SandboxStatus(identity.boot_id(), pid, identity.start_time(pid), pod.address)
        known = self._directory / "status.json"
        if known.exists():
            self._status.attempts = SandboxStatus.from_json(json.loads(known.read_text())).attempts
        self._running: dict[str, _Running] = {}
        self._watchers: list[protocol.Connection] = []
        self._unsaved = False
        self._selector = selectors.DefaultSelector()
        self._listener = protocol.listen(self._directory / "shim.sock")
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._publish()

    def serve(self) -> NoReturn:
        while True:
            for key, _ in self._selector.select(self._timeout()):
                key.data()
            self._kill_overdue()
            self._kill_oversized()
            if self._unsaved:
                self._save()

    def _timeout(self) -> float | None:
        moments = [
            moment for running in self._running.values() for moment in (running.kill_at, running.visits.overdue_at)
        ]
        due = [moment for moment in moments if moment is not None]
        due += [running.memory_at for running in self._running.values() if running.container.polled_memory]
        waits = [max(moment - time.monotonic(), 0) for moment in due]
        if self._unsaved:
            waits.append(_SAVE_AGAIN_SECONDS)
        return min(waits) if waits else None

    def _kill_overdue(self) -> None:
        now = time.monotonic()
        for running in self._running.values():
            if running.kill_at is not None and running.kill_at <= now:
                running.kill_at = None
                os.kill(running.init, signal.SIGKILL)
            running.visits.drop_overdue(now)

    def _kill_oversized(self) -> None:
        now = time.monotonic()
        for running in self._running.values():
            limit = running.container.polled_memory
            if limit and running.memory_at <= now:
                running.memory_at = now + _MEMORY_SECONDS
                if memory_use.exceeds(running.init, limit):
                    running.out_of_memory = True
                    os.kill(running.init, signal.SIGKILL)

    # Requests

    def _accept(self) -> None:
        connected, _ = self._listener.accept()
        connection = protocol.Connection(connected)
        self._selector.register(connected, selectors.EVENT_READ, lambda: self._serve_client(connection))

    def _serve_client(self, connection: protocol.Connection) -> None:
        requests = connection.receive()
        if requests is None:
            self._selector.unregister(connection.socket)
            if connection in self._watchers:
                self._watchers.remove(connection)
            for running in self._running.values():
                if running.caller is connection:
                    running.caller = None
                running.visits.hang_up(connection)
            connection.close()
            return
        operations: dict[str, Callable[[protocol.Connection, dict[str, Any]], None]] = {
            "run": self._run,
            "stop": self._stop,
            "watch": self._watch,
            "socket": self._socket,
            "exec": self._exec,
            "attach": self._attach,
            "leave": self._leave,
        }
        for request in requests:
            operation = operations.get(request["op"])
            if operation is None:
                connection.send({"error": f"this pod was started by another version, which cannot {request['op']}"})
            else:
                operation(connection, request)

    def _watch(self, connection: protocol.Connection, request: dict[str, Any]) -> None:
        self._watchers.append(connection)
        connection.send(self._status.to_json())

    def _stop(self, connection: protocol.Connection, request: dict[str, Any]) -> None:
        grace = float(request["grace"])
        for name in request["containers"]:
            running = self._running.get(name)
            if running is None:
                continue
            if grace > 0:
                running.control.send(json.dumps({"signal": signal.SIGTERM}).encode())
            due = time.monotonic() + grace
            running.kill_at = due if running.kill_at is None else min(due, running.kill_at)
        connection.send({"ok": True})

    def _socket(self, connection: protocol.Connection, request: dict[str, Any]) -> None:
        """A socket keeps the network namespace it was made in, whoever holds it."""
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
            connection.send({"ok": True}, [made.fileno()])

    def _exec(self, connection: protocol.Connection, request: dict[str, Any]) -> None:
        descriptors = connection.take_descriptors()
        running = self._running.get(request["container"])
        if running is None:
            connection.send({"error": f"container {request['container']} is not running"})
        else:
            running.visits.execute(connection, request, descriptors)
        close_all(descriptors)

    def _attach(self, connection: protocol.Connection, request: dict[str, Any]) -> None:
        descriptors = connection.take_descriptors()
        running = self._running.get(request["container"])
        if running is None:
            connection.send({"error": f"container {request['container']} is not running"})
            close_all(descriptors)
            return
        inode, size = running.log.position()
        wants_stdin = bool(request["stdin"]) and running.stdin is not None
        given = [running.stdin] if wants_stdin and running.stdin is not None else []
        answer = {"ok": True, "log": [inode, size], "stdin": wants_stdin, "terminal": running.container.terminal}
        if not given and running.container.terminal and "stdout" in running.pipes:
            given = [running.pipes["stdout"]]  # to tell it the size of the client's window
        connection.send(answer, given)
        if wants_stdin and running.container.stdin_once and running.stdin is not None:
            if not running.container.terminal:
                os.close(running.stdin)
            running.stdin = None
        attachment = Attachment(dict(zip(request["outputs"], descriptors, strict=True)))
        for stream in request["outputs"]:
            attachment.write(stream, running.log.unfinished(stream))
        running.visits.attach(connection, attachment)

    def _leave(self, connection: protocol.Connection, request: dict[str, Any]) -> None:
        for running in list(self._running.values()):
            os.kill(running.init, signal.SIGKILL)
            self._end(running, KILLED, signal.SIGKILL)
        for volume in self._pod.memory_volumes:
            syscalls.unmount(volume.directory)
        (self._directory / "shim.sock").unlink(missing_ok=True)
        connection.send({"ok": True})
        os._exit(0)

    # Containers

    def _run(self, connection: protocol.Connection, request: dict[str, Any]) -> None:
        container = Container.from_json(request["container"])
        if container.name in self._running:
            connection.send({"error": f"container {container.name} already runs"})
            return
        try:
            managed = self._managed_files(container)
            log = LogWriter(container.log, container.log_max_bytes, container.log_max_files)
        except OSError as error:
            connection.send({"error": str(error)})
            return
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        out_reader, out_writer = os.pipe()
        err_reader, err_writer = os.pipe()
        in_reader, in_writer = os.pipe() if container.stdin and not container.terminal else (None, None)
        streams = Streams(in_reader, out_writer, err_writer)
        try:
            pid = launcher.fork_init(lambda: init.run(container, managed, self._shared_memory, its, streams))
            self._enter_groups(container, pid)
        except OSError as error:
            log.close()
            ours.close()
            close_all([fd for fd in (out_reader, err_reader, in_writer) if fd is not None])
            connection.send({"error": str(error)})
            return
        finally:
            its.close()
            close_all([fd for fd in streams if fd is not None])
        running = _Running(
            container,
            Attempt(container.attempt, time.time(), pid=pid),
            pid,
            ours,
            log,
            {"stdout": out_reader, "stderr": err_reader},
            connection,
            Visits(ours, self._selector, lambda paused: self._pause(running, paused), KILLED),
            in_writer,
        )
        self._running[container.name] = running
        for stream in running.pipes:
            self._listen(running, stream)
        self._selector.register(ours, selectors.EVENT_READ, lambda: self._hear(running))
        ours.send(b'{"go": true}')

    def _enter_groups(self, container: Container, pid: int) -> None:
        """Put a container's init into its control groups; one that cannot be limited is not started."""
        try:
            cgroups.enter(container.groups, pid)
        except OSError:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            cgroups.leave(container.groups)
            raise

    def _managed_files(self, container: Container) -> list[Bind]:
        files = self._directory / "files"
        termination = files / f"termination-{container.name}"
        termination.write_bytes(b"")
        return [
            *(Bind(str(path), f"/etc/{path.name}", read_only=False) for path in sorted((files / "etc").iterdir())),
            Bind(str(termination), container.termination_log, read_only=False),
        ]

    def _listen(self, running: _Running, stream: str) -> None:
        reader = running.pipes[stream]
        os.set_blocking(reader, False)
        self._selector.register(reader, selectors.EVENT_READ, lambda: self._pump(running, stream))

    def _pause(self, running: _Running, paused: bool) -> None:
        """Read no more of the container's output, because a client has not taken the last, or go on."""
        running.paused = paused
        for stream, reader in running.pipes.items():
            if paused:
                self._selector.unregister(reader)
            else:
                self._listen(running, stream)

    def _pump(self, running: _Running, stream: str) -> bool:
        """Move what the container wrote into its log and to its visitors; False when there is no more for now."""
        if stream not in running.pipes:
            return False  # closed by what was read in the same round
        try:
            data = os.read(running.pipes[stream], _CHUNK)
        except BlockingIOError:
            return False
        except OSError:  # EIO: nobody has the terminal open any more
            data = b""
        if not data:
            self._close_pipe(running, stream)
            return False
        running.log.write(stream, data)
        running.visits.copy(stream, data)
        return True

    def _close_pipe(self, running: _Running, stream: str) -> None:
        reader = running.pipes.pop(stream)
        if not running.paused:
            self._selector.unregister(reader)
        os.close(reader)
        if running.container.terminal and running.stdin == reader:
            running.stdin = None

    def _take_terminal(self, running: _Running, master: int) -> None:
        """The container has made its terminal: that is its input and output, and its pipes stay empty."""
        for stream in list(running.pipes):
            self._close_pipe(running, stream)
        running.pipes["stdout"] = master
        self._listen(running, "stdout")
        if running.container.stdin:
            running.stdin = master

    def _hear(self, running: _Running) -> None:
        """A message of an init, or its death."""
        try:
            message, descriptors, _, _ = socket.recv_fds(running.control, 65536, protocol.MAX_DESCRIPTORS)
        except ConnectionError:
            message, descriptors = b"", []
        if not message:
            self._end(running, *(running.main_ended or (KILLED, signal.SIGKILL)))
            return
        news = json.loads(message)
        if "session" in news:
            running.visits.hear(news, descriptors)
            close_all(descriptors)
        elif "started" in news:
            if descriptors:
                self._take_terminal(running, descriptors[0])
            self._status.attempts.setdefault(running.container.name, []).append(running.attempt)
            self._publish()
            self._answer(running, {"ok": True})
        elif "main" in news:
            running.main_ended = (news["main"]["exit_code"], news["main"]["signal"])
        elif "exited" in news:
            self._end(running, news["exited"]["exit_code"], news["exited"]["signal"])
        else:
            self._fail(running, **news["failed"])

    def _fail(self, running: _Running, stage: str, message: str, exit_code: int) -> None:
        """The workload never ran. A root that cannot be built is no attempt: the agent says why and tries again."""
        if stage == "root":
            self._forget(running)
            self._answer(running, {"error": message})
            return
        running.attempt.reason, running.attempt.message = "StartError", message
        self._status.attempts.setdefault(running.container.name, []).append(running.attempt)
        self._end(running, exit_code, 0)
        self._answer(running, {"ok": True})

    def _end(self, running: _Running, exit_code: int, signal_number: int) -> None:
        """Init reported the end or is dead; the kernel has killed or is killing what was left."""
        attempts = self._status.attempts.get(running.container.name, [])
        self._forget(running)
        attempt = running.attempt
        if not attempts or attempts[-1] is not attempt:
            self._answer(running, {"error": "the container's init was killed before the workload started"})
            return
        attempt.finished_at = time.time()
        attempt.exit_code = exit_code
        attempt.signal = signal_number
        ended = "Completed" if exit_code == 0 else OUT_OF_MEMORY if running.out_of_memory else "Error"
        attempt.reason = attempt.reason or ended
        attempt.message = self._termination_message(running) or attempt.message
        self._publish()

    def _forget(self, running: _Running) -> None:
        """Reap init (its whole pid namespace is gone then), drain the pipes, close the log."""
        self._selector.unregister(running.control)
        running.control.close()
        os.waitpid(running.init, 0)
        running.out_of_memory = running.out_of_memory or cgroups.kills(running.container.groups) > 0
        cgroups.leave(running.container.groups)
        for stream in list(running.pipes):
            while self._pump(running, stream):
                pass
            if stream in running.pipes:
                self._close_pipe(running, stream)
        running.log.close()
        running.visits.end()
        if running.stdin is not None:
            os.close(running.stdin)
        del self._running[running.container.name]

    def _termination_message(self, running: _Running) -> str:
        path = self._directory / "files" / f"termination-{running.container.name}"
        with path.open("rb") as file:
            text = file.read(_TERMINATION_MESSAGE_BYTES).decode(errors="replace")
        if not text and running.container.message_from_log and running.attempt.exit_code:
            return running.log.recent()
        return text

    # Status

    def _answer(self, running: _Running, message: dict[str, Any]) -> None:
        if running.caller is not None:
            running.caller.send(message)
            running.caller = None

    def _publish(self) -> None:
        """Keep the status for readers that come later, and tell those that watch."""
        self._save()
        status = self._status.to_json()
        for watcher in self._watchers:
            watcher.send(status)

    def _save(self) -> None:
        """Write ``status.json``, atomically; on a full disk again later: the pod must not end for it."""
        fresh = self._directory / "status.json.new"
        try:
            fresh.write_text(json.dumps(self._status.to_json()))
            fresh.replace(self._directory / "status.json")
        except OSError:
            self._unsaved = True
        else:
            self._unsaved = False
