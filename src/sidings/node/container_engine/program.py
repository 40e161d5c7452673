"""Running an engine's program from a keeper and waiting for it.

Not by ``subprocess``: a keeper is a fork of the zygote, which has not loaded that module, and there is one for every
container (with it a keeper has 8 MB of its own, without 2).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_OWN = (signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP, signal.SIGINT)
"""Signals that the zygote, the shim or the keeper handles or ignores; a program starts with the defaults."""


class Answer(NamedTuple):
    exit_code: int
    output: str
    errors: str


def spawn(
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> int:
    """Start ``argv`` in a session of its own; returns its pid. None stands for ``/dev/null``."""
    files: list[tuple[int, ...] | tuple[int, int, str, int, int]] = []
    for number, given in enumerate((stdin, stdout, stderr)):
        if given is None:
            files.append((os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDONLY if number == 0 else os.O_WRONLY, 0))
        else:
            files.append((os.POSIX_SPAWN_DUP2, given, number))
    return os.posix_spawn(argv[0], list(argv), environment, file_actions=files, setsid=True, setsigdef=_OWN)


def run(
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> int:
    """Its exit code, 128 + n for signal n."""
    _, status = os.waitpid(spawn(argv, environment, stdin=stdin, stdout=stdout, stderr=stderr), 0)
    return _exit_code(status)


def ended(pid: int) -> int | None:
    """The exit code of a program of ``spawn``, as of ``run``; None while it runs."""
    found, status = os.waitpid(pid, os.WNOHANG)
    return _exit_code(status) if found else None


def ask(argv: Sequence[str], environment: Mapping[str, str]) -> Answer:
    """Run it and take what it writes."""
    output, errors = os.memfd_create("output"), os.memfd_create("errors")
    try:
        code = run(argv, environment, stdout=output, stderr=errors)
        return Answer(code, _content(output), _content(errors))
    finally:
        os.close(output)
        os.close(errors)


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def _content(fd: int) -> str:
    return os.pread(fd, os.fstat(fd).st_size, 0).decode(errors="replace")
