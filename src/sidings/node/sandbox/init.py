"""Pid 1 of one container: builds its root, starts the workload, reaps, forwards signals.

A real pid 1 is kinder than the workload itself in that place (bash or python as pid 1 would ignore SIGTERM), and it
is the life line of the container: when it dies, for whatever reason, the kernel kills every process of the pid
namespace. It dies with the shim (PDEATHSIG, and end of file on the control socket).

Control socket (SOCK_SEQPACKET, one JSON object per message)::

    shim -> init   {"go": true}  {"signal": 15}
    init -> shim   {"started": true, streams, pid, ids}, with the master of its terminal if it has one
                   (of an engine: what to read instead of the pipes named, its pid, ids of container and image)
                   {"failed": {stage, message, exit_code}}  {"exited": {exit_code, signal}}
                   {"main": {exit_code, signal}}: stopping, the main process has ended, others have not yet

Beside these go the messages of ``sessions``.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from sidings.node.sandbox import process_count, protocol, rootfs, syscalls, workload
from sidings.node.sandbox.place import Place
from sidings.node.sandbox.sessions import Sessions
from sidings.node.sandbox.spec import Container

_MESSAGE = 256 * 1024
"""More than the kernel lets a packet hold, so that none is cut off."""


class Streams(NamedTuple):
    """The container's ends of its pipes. ``stdin`` is None for one without; a terminal needs none of them."""

    stdin: int | None
    stdout: int
    stderr: int


def run(container: Container, place: Place, control: socket.socket, streams: Streams) -> NoReturn:
    """The whole life of the container; ends with ``os._exit``."""
    try:
        syscalls.close_others([control.fileno(), *(fd for fd in streams if fd is not None)])
        if not control.recv(_MESSAGE):
            os._exit(1)
        syscalls.set_name("sidings-init")
        wakeup = _wakeup_on_children()
        main = _start(container, place, control, streams)
        _supervise(main, control, wakeup, Sessions(container, control, place.command), place)
    finally:
        os._exit(1)


def _start(container: Container, place: Place, control: socket.socket, streams: Streams) -> int:
    stage = "root"
    try:
        if container.polled_processes:
            process_count.cap()
        place.enter()
        stage = "start"
        main, master = _start_main(container, place, streams)
        socket.send_fds(control, [b'{"started": true}'], [master] if master is not None else [])
        for fd in (*streams, master):
            if fd is not None:
                os.close(fd)
        return main
    except workload.StartError as error:
        _send(control, {"failed": {"stage": stage, "message": error.message, "exit_code": error.exit_code}})
    except (OSError, rootfs.RootError) as error:
        _send(control, {"failed": {"stage": stage, "message": str(error), "exit_code": workload.CANNOT_START}})
    os._exit(1)


def _start_main(container: Container, place: Place, streams: Streams) -> tuple[int, int | None]:
    """Pid of the main process, and the master of its terminal if it has one."""
    master = None
    if container.terminal:
        master, slave = os.openpty()
        terminal = Streams(slave, slave, slave)
    stdin, stdout, stderr = streams if master is None else terminal
    command = workload.Command(
        container.argv, container.environment, container.directory, stdin, stdout, stderr, container.terminal
    )
    try:
        return workload.start(place.command(command)), master
    finally:
        if master is not None:
            os.close(slave)


def _supervise(main: int, control: socket.socket, wakeup: int, sessions: Sessions, place: Place) -> NoReturn:
    """Reap until the main process has ended; after a SIGTERM from the shim, until every process has."""
    status: int | None = None
    stopping = False
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(wakeup, select.POLLIN)
    while True:
        ready = {fd for fd, _ in poll.poll()}
        if control.fileno() in ready:
            message, descriptors, _, _ = socket.recv_fds(control, _MESSAGE, protocol.MAX_DESCRIPTORS)
            if not message:
                place.leave()
                os._exit(1)
            request = json.loads(message)
            if "exec" in request:
                sessions.start(request["exec"], descriptors)
            elif "hang_up" in request:
                sessions.hang_up(request["hang_up"])
            else:
                stopping = stopping or request["signal"] == signal.SIGTERM
                if status is None:
                    os.killpg(main, request["signal"])
        if wakeup in ready:
            os.read(wakeup, 4096)
        reaped, alone = _reap(main, sessions.ended)
        if status is None and reaped is not None:
            status = reaped
            if stopping:
                sessions.kill()
            if stopping and not alone:
                _send(control, {"main": _ending(status)})
        if status is not None and (alone or not stopping):
            place.leave()
            _send(control, {"exited": _ending(status)})
            os._exit(0)


def _ending(status: int) -> dict[str, int]:
    """A wait status as a shell shows it: 128 + n for signal n."""
    code = os.waitstatus_to_exitcode(status)
    return {"exit_code": 128 - code if code < 0 else code, "signal": max(-code, 0)}


def _reap(main: int, ended_beside: Callable[[int, int], None]) -> tuple[int | None, bool]:
    """The wait status of the main process if it ended now, and whether no process is left."""
    status = None
    while True:
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status, True
        if pid == 0:
            return status, False
        if pid == main:
            status = ended
        else:
            ended_beside(pid, ended)


def _wakeup_on_children() -> int:
    """An fd that becomes readable when a child ends."""
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _send(control: socket.socket, message: dict[str, object]) -> None:
    control.send(json.dumps(message).encode())
