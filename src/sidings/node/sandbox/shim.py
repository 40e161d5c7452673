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
from pathlib import Path
from typing import Any, NoReturn

from sidings.node.sandbox import identity, protocol, running_container
from sidings.node.sandbox.attachments import Attachment
from sidings.node.sandbox.ground import Ground
from sidings.node.sandbox.running_container import KILLED, RunningContainer
from sidings.node.sandbox.spec import Bind, Container, PodSandbox, SandboxStatus
from sidings.node.sandbox.starter import Starter
from sidings.node.sandbox.status_file import SAVE_AGAIN_SECONDS, StatusFile
from sidings.node.sandbox.visits import close_all

_TERMINATION_MESSAGE_BYTES = 4096
OUT_OF_MEMORY = "OOMKilled"


class Shim:
    """The event loop of one pod, in the process that already is in the pod's namespaces."""

    def __init__(self, pod: PodSandbox, starter: Starter, ground: Ground) -> None:
        self._pod = pod
        self._starter = starter
        self._ground = ground
        self._directory = Path(pod.directory)
        pid = os.getpid()
        self._status = SandboxStatus(identity.boot_id(), pid, identity.start_time(pid), pod.address)
        self._file = StatusFile(self._directory)
        if known := self._file.load():
            self._status.attempts = known.attempts
        self._running: dict[str, RunningContainer] = {}
        self._watchers: list[protocol.Connection] = []
        self._selector = selectors.DefaultSelector()
        self._listener = protocol.listen(self._directory / "shim.sock")
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._publish()

    def serve(self) -> NoReturn:
        while True:
            for key, _ in self._selector.select(self._timeout()):
                key.data()
            now = time.monotonic()
            for running in self._running.values():
                running.look(now)
            if self._file.unsaved:
                self._file.save(self._status)

    def _timeout(self) -> float | None:
        due = [running.due_at for running in self._running.values()]
        waits = [max(moment - time.monotonic(), 0) for moment in due if moment is not None]
        if self._file.unsaved:
            waits.append(SAVE_AGAIN_SECONDS)
        return min(waits, default=None)

    # Requests

    def _accept(self) -> None:
        connection = protocol.accept(self._listener, self._ground.admits)
        if connection is not None:
            self._selector.register(connection.socket, selectors.EVENT_READ, lambda: self._serve_client(connection))

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
        if wants_stdin and running.container.stdin_once:
            running.hand_over_stdin()
        attachment = Attachment(dict(zip(request["outputs"], descriptors, strict=True)))
        for stream in request["outputs"]:
            attachment.write(stream, running.log.unfinished(stream))
        running.visits.attach(connection, attachment)

    def _leave(self, connection: protocol.Connection, request: dict[str, Any]) -> None:
        for running in list(self._running.values()):
            running.kill()
            self._end(running, KILLED, signal.SIGKILL)
        self._ground.vacate(self._pod)
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
            running = running_container.start(container, managed, self._starter, connection, self._selector)
        except OSError as error:
            connection.send({"error": str(error)})
            return
        self._running[container.name] = running
        running.begin(lambda: self._hear(running))

    def _managed_files(self, container: Container) -> list[Bind]:
        files = self._directory / "files"
        termination = files / f"termination-{container.name}"
        termination.write_bytes(b"")
        termination.chmod(0o666)  # whoever the container is
        return [
            *(Bind(str(path), f"/etc/{path.name}", read_only=False) for path in sorted((files / "etc").iterdir())),
            Bind(str(termination), container.termination_log, read_only=False),
        ]

    def _hear(self, running: RunningContainer) -> None:
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
            running.take_streams(dict(zip(news.get("streams", ("terminal",)), descriptors, strict=False)))
            running.attempt.pid = news.get("pid", running.attempt.pid)
            running.attempt.container_id, running.attempt.image_id = news.get("ids", ("", ""))
            self._status.attempts.setdefault(running.container.name, []).append(running.attempt)
            self._publish()
            running.answer({"ok": True})
        elif "main" in news:
            running.main_ended = (news["main"]["exit_code"], news["main"]["signal"])
        elif "exited" in news:
            running.out_of_memory = running.out_of_memory or news["exited"].get("out_of_memory", False)
            self._end(running, news["exited"]["exit_code"], news["exited"]["signal"])
        else:
            self._fail(running, **news["failed"])

    def _fail(self, running: RunningContainer, stage: str, message: str, exit_code: int) -> None:
        """The workload never ran. A root that cannot be built is no attempt: the agent says why and tries again."""
        if stage == "root":
            self._forget(running)
            running.answer({"error": message})
            return
        running.attempt.reason, running.attempt.message = "StartError", message
        self._status.attempts.setdefault(running.container.name, []).append(running.attempt)
        self._end(running, exit_code, 0)
        running.answer({"ok": True})

    def _end(self, running: RunningContainer, exit_code: int, signal_number: int) -> None:
        """Init reported the end or is dead; the kernel has killed or is killing what was left."""
        attempts = self._status.attempts.get(running.container.name, [])
        self._forget(running)
        attempt = running.attempt
        if not attempts or attempts[-1] is not attempt:
            running.answer({"error": "the container's init was killed before the workload started"})
            return
        attempt.finished_at = time.time()
        attempt.exit_code = exit_code
        attempt.signal = signal_number
        ended = "Completed" if exit_code == 0 else OUT_OF_MEMORY if running.out_of_memory else "Error"
        attempt.reason = attempt.reason or ended
        attempt.message = self._termination_message(running) or attempt.message
        self._publish()

    def _forget(self, running: RunningContainer) -> None:
        running.close()
        del self._running[running.container.name]

    def _termination_message(self, running: RunningContainer) -> str:
        path = self._directory / "files" / f"termination-{running.container.name}"
        with path.open("rb") as file:
            text = file.read(_TERMINATION_MESSAGE_BYTES).decode(errors="replace")
        if not text and running.container.message_from_log and running.attempt.exit_code:
            return running.log.recent()
        return text

    def _publish(self) -> None:
        """Keep the status for readers that come later, and tell those that watch."""
        self._file.save(self._status)
        status = self._status.to_json()
        for watcher in self._watchers:
            watcher.send(status)
