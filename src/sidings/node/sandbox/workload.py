"""Starting a container's command: the last steps before ``execve``, and how their failure reads.

Exit codes follow the shell and Docker: 127 for a command that is not there, 126 for one that cannot be run, 128 where
the working directory is at fault. Texts are those that ``kubectl describe`` shows on a cluster (runc 1.2).
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import resource
import signal
import termios
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from sidings.node.sandbox import credentials
from sidings.node.sandbox.credentials import Credentials

NOT_FOUND, NOT_EXECUTABLE, CANNOT_START = 127, 126, 128
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_OOM_SCORE = "500"
"""Above the supervisors': when memory runs out the kernel takes a workload, not the process that reports it."""


class StartError(Exception):
    """The command could not be started; ``exit_code`` is what the container ends with."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code


@dataclass(frozen=True)
class Command:
    """A command of a container, its main process or one of an exec session, and the descriptors that it gets."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    directory: str
    stdin: int | None
    stdout: int
    stderr: int
    terminal: bool = False
    """The three are one terminal, which becomes the command's controlling one."""
    credentials: Credentials | None = None
    """None: as whoever starts it."""


def start(command: Command) -> int:
    """Fork ``command`` in the root just entered; returns its pid once ``execve`` succeeded, else ``StartError``."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _become(command, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as report:
        failure = report.read()
    if not failure:
        return pid
    os.waitpid(pid, 0)
    raise StartError(**json.loads(failure))


def offer_to_the_kernel() -> None:
    """When memory runs out the kernel takes this process, or one that it starts, before the supervisors."""
    score = Path("/proc/self/oom_score_adj")
    if score.read_text().strip() != _OOM_SCORE:
        score.write_text(_OOM_SCORE)


def _become(command: Command, report: int) -> NoReturn:
    """In the child: never returns."""
    try:
        _prepare(command, report)
        _execute(command.argv, command.environment)
    except StartError as error:
        os.write(report, json.dumps({"message": error.message, "exit_code": error.exit_code}).encode())
    except OSError as error:
        os.write(report, json.dumps({"message": str(error), "exit_code": CANNOT_START}).encode())
    finally:
        os._exit(CANNOT_START)


def _prepare(command: Command, report: int) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    # All of them: an engine started under nohup ignores SIGHUP, which would be handed down to every container.
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    offer_to_the_kernel()
    kept = fcntl.fcntl(report, fcntl.F_DUPFD_CLOEXEC, 10)
    os.dup2(os.open("/dev/null", os.O_RDONLY) if command.stdin is None else command.stdin, 0)
    os.dup2(command.stdout, 1)
    os.dup2(command.stderr, 2)
    os.dup2(kept, report)
    os.closerange(3, report)
    os.closerange(report + 1, 256)
    os.set_inheritable(report, False)
    if command.terminal:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    if command.credentials is not None:
        credentials.assume(command.credentials)
    try:
        os.chdir(command.directory)
    except OSError as error:
        text = f"chdir to cwd ({json.dumps(command.directory)}) set in config.json failed: {error.strerror}"
        raise StartError(text, CANNOT_START) from error


def _execute(argv: tuple[str, ...], environment: dict[str, str]) -> NoReturn:
    name = argv[0]
    if "/" in name:
        candidates = [name]
    else:
        folders = environment.get("PATH", DEFAULT_PATH).split(":")
        candidates = [f"{folder or '.'}/{name}" for folder in folders]
    failure = errno.ENOENT
    for candidate in candidates:
        try:
            os.execve(candidate, argv, environment)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                failure = error.errno or errno.EIO
    raise _start_error(name, failure)


def _start_error(name: str, number: int) -> StartError:
    if number == errno.ENOENT:
        shown = "no such file or directory" if "/" in name else "executable file not found in $PATH"
        return StartError(f'exec: "{name}": {shown}', NOT_FOUND)
    return StartError(f'exec: "{name}": {os.strerror(number).lower()}', NOT_EXECUTABLE)
