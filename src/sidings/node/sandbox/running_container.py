"""A container whose init lives, as its shim sees it: pipes, log, visitors, and the moments at which it is looked at."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Sequence

from sidings.node.sandbox import cgroups, memory_use, process_count
from sidings.node.sandbox.init import Streams
from sidings.node.sandbox.log_writer import LogWriter
from sidings.node.sandbox.protocol import Connection
from sidings.node.sandbox.spec import Attempt, Bind, Container
from sidings.node.sandbox.starter import Starter
from sidings.node.sandbox.visits import Visits, close_all

KILLED = 128 + signal.SIGKILL
_CHUNK = 256 * 1024
_POLL_SECONDS = 1.0


class RunningContainer:
    """From the fork of init until it is reaped. Public fields are the shim's to read and to set."""

    def __init__(
        self,
        container: Container,
        starter: Starter,
        pid: int,
        control: socket.socket,
        log: LogWriter,
        pipes: dict[str, int],
        stdin: int | None,
        caller: Connection,
        selector: selectors.BaseSelector,
    ) -> None:
        """``pipes``: our ends of its output by stream. ``stdin``: our end of its input, None for none."""
        self.container = container
        self.attempt = Attempt(container.attempt, time.time(), pid=pid)
        self.control = control
        self.log = log
        self.pipes = pipes
        """By stream; a terminal's master counts as stdout."""
        self.stdin = stdin
        """None for a container without one, or when a session has taken it over."""
        self.caller: Connection | None = caller
        """Who waits to hear that it runs."""
        self.visits = Visits(control, selector, self._pause, KILLED)
        self.kill_at: float | None = None
        self.main_ended: tuple[int, int] | None = None
        """Exit code and signal of the main process while others of the container still take their grace."""
        self.out_of_memory = False
        self._starter = starter
        self._pid = pid
        self._selector = selector
        self._paused = False
        self._polled = bool(container.polled_memory or container.polled_processes)
        self._poll_at = 0.0
        """When limits that only we keep are looked at next."""

    def begin(self, hear: Callable[[], None]) -> None:
        """Let init go; ``hear`` is called when it has something to say or has died."""
        for stream in self.pipes:
            self._listen(stream)
        self._selector.register(self.control, selectors.EVENT_READ, hear)
        self.control.send(b'{"go": true}')

    def kill(self) -> None:
        self._starter.kill(self.container, self._pid)

    def answer(self, message: dict[str, object]) -> None:
        """Tell whoever waits for the start; nobody is told twice."""
        if self.caller is not None:
            self.caller.send(message)
            self.caller = None

    # Moments

    @property
    def due_at(self) -> float | None:
        """When ``look`` has something to do, on the monotonic clock."""
        moments = [self.kill_at, self.visits.overdue_at, self._poll_at if self._polled else None]
        return min((moment for moment in moments if moment is not None), default=None)

    def look(self, now: float) -> None:
        """Do what is due: end it after its grace or beyond its limits, let go of visitors that take nothing."""
        if self.kill_at is not None and self.kill_at <= now:
            self.kill_at = None
            self.kill()
        self.visits.drop_overdue(now)
        if self._polled and self._poll_at <= now:
            self._poll_at = now + _POLL_SECONDS
            self._poll()

    def _poll(self) -> None:
        memory, processes = self.container.polled_memory, self.container.polled_processes
        if processes and process_count.exceeds(self._pid, processes):
            self.attempt.message = f"killed for having more than {processes} processes and threads"
            self.kill()
        elif memory and memory_use.exceeds(self._pid, memory):
            self.out_of_memory = True
            self.kill()

    # Output

    def take_streams(self, readers: dict[str, int]) -> None:
        """Output comes from these instead of the pipe of that name; from a ``terminal`` comes all of it."""
        for stream, reader in readers.items():
            if stream == "terminal":
                self._take_terminal(reader)
            else:
                self._close_pipe(stream)
                self.pipes[stream] = reader
                self._listen(stream)

    def _take_terminal(self, master: int) -> None:
        """The container has made its terminal: that is its input and output, and its pipes stay empty."""
        for stream in list(self.pipes):
            self._close_pipe(stream)
        self.pipes["stdout"] = master
        self._listen("stdout")
        if self.container.stdin:
            self.stdin = master

    def hand_over_stdin(self) -> None:
        """A session has it now: with ``stdinOnce`` the end of that session is the container's end of file."""
        if self.stdin is not None and not self.container.terminal:
            os.close(self.stdin)
        self.stdin = None

    def _listen(self, stream: str) -> None:
        reader = self.pipes[stream]
        os.set_blocking(reader, False)
        self._selector.register(reader, selectors.EVENT_READ, lambda: self._pump(stream))

    def _pause(self, paused: bool) -> None:
        """Read no more of the container's output, because a client has not taken the last, or go on."""
        self._paused = paused
        for stream, reader in self.pipes.items():
            if paused:
                self._selector.unregister(reader)
            else:
                self._listen(stream)

    def _pump(self, stream: str) -> bool:
        """Move what the container wrote into its log and to its visitors; False when there is no more for now."""
        if stream not in self.pipes:
            return False  # closed by what was read in the same round
        try:
            data = os.read(self.pipes[stream], _CHUNK)
        except BlockingIOError:
            return False
        except OSError:  # EIO: nobody has the terminal open any more
            data = b""
        if not data:
            self._close_pipe(stream)
            return False
        self.log.write(stream, data)
        self.visits.copy(stream, data)
        return True

    def _close_pipe(self, stream: str) -> None:
        reader = self.pipes.pop(stream)
        if not self._paused:
            self._selector.unregister(reader)
        os.close(reader)
        if self.container.terminal and self.stdin == reader:
            self.stdin = None

    # End

    def close(self) -> None:
        """Reap init, see that nothing of the container is left, drain the pipes, close the log."""
        self._selector.unregister(self.control)
        self.control.close()
        os.waitpid(self._pid, 0)
        self._starter.clear(self.container, self._pid)
        self.out_of_memory = self.out_of_memory or cgroups.kills(self.container.groups) > 0
        cgroups.leave(self.container.groups)
        for stream in list(self.pipes):
            while self._pump(stream):
                pass
            if stream in self.pipes:
                self._close_pipe(stream)
        self.log.close()
        self.visits.end()
        if self.stdin is not None:
            os.close(self.stdin)


def start(
    container: Container,
    managed: Sequence[Bind],
    starter: Starter,
    caller: Connection,
    selector: selectors.BaseSelector,
) -> RunningContainer:
    """Fork the container's init and put it into its control groups; it waits for ``begin``. Raises ``OSError``."""
    log = LogWriter(container.log, container.log_max_bytes, container.log_max_files)
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    out_reader, out_writer = os.pipe()
    err_reader, err_writer = os.pipe()
    in_reader, in_writer = os.pipe() if container.stdin and not container.terminal else (None, None)
    streams = Streams(in_reader, out_writer, err_writer)
    try:
        pid = starter.start(container, managed, its, streams)
        _enter_groups(container, starter, pid)
    except OSError:
        log.close()
        ours.close()
        close_all([fd for fd in (out_reader, err_reader, in_writer) if fd is not None])
        raise
    finally:
        its.close()
        close_all([fd for fd in streams if fd is not None])
    pipes = {"stdout": out_reader, "stderr": err_reader}
    return RunningContainer(container, starter, pid, ours, log, pipes, in_writer, caller, selector)


def _enter_groups(container: Container, starter: Starter, pid: int) -> None:
    """Put a container's init into its control groups; one that cannot be limited is not started."""
    try:
        cgroups.enter(container.groups, pid)
    except OSError:
        starter.kill(container, pid)
        os.waitpid(pid, 0)
        cgroups.leave(container.groups)
        raise
