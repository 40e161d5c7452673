"""An engine as a process of its own: how ``up`` starts it and hears from it, how ``down`` stops it.

The child is a fresh interpreter in its own session, so neither a closed terminal nor Ctrl-C there reaches it. It tells
its parent what it does through a pipe, one JSON object a line (``{"step": text}``, then ``{"ready": record}`` or
``{"error": {...}}``), and closes the pipe; from then on its log file and its record in the home speak for it.

Signals to the engine: SIGTERM and SIGINT stop it with its pods; SIGKILL leaves its pods running for the next one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import logging.handlers
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TextIO

from sidings.errors import SidingsError
from sidings.host import log_format, process, systemd
from sidings.host.errors import EngineFailed, EngineStuck, ReportedError
from sidings.host.home import EngineRecord, Home, read_json, write_json
from sidings.host.options import EngineOptions

READY_SECONDS = 60.0
STOP_SECONDS = 60.0
LOG_BYTES = 10 * 1024 * 1024
LOG_TAIL_LINES = 15

Say = Callable[[str], None]


def remembered(home: Home) -> EngineOptions:
    """What the last ``up`` of this home was told; the defaults on the first."""
    return EngineOptions.from_json(read_json(home.options_file) or {})


def remember(home: Home, options: EngineOptions) -> None:
    """Make ``options`` those that the next ``up`` of this home is told."""
    from sidings.store import place

    place.prepare(home.path)
    write_json(home.options_file, options.to_json())


def start(home: Home, options: EngineOptions, say: Say) -> EngineRecord:
    """Start a detached engine and wait until it is ready.

    ``say`` hears each step. Raises ``ReportedError`` with the engine's own error, ``EngineFailed`` where it ended
    without a word, ``EngineStuck`` where it is not ready after ``READY_SECONDS``.
    """
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "sidings.host.daemon", str(home.path), json.dumps(options.to_json()), str(writer)]
    with os.fdopen(reader, "rb") as reports:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(writer,),
            start_new_session=True,
            cwd="/",
        )
        os.close(writer)
        return _await_ready(home, child, reports.fileno(), say)


def _await_ready(home: Home, child: subprocess.Popen[bytes], reports: int, say: Say) -> EngineRecord:
    deadline = time.monotonic() + READY_SECONDS
    pending = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reports], [], [], left)[0]:
            child.terminate()
            raise EngineStuck(
                f"the engine was not ready within {READY_SECONDS:.0f} s",
                cause=log_tail(home),
                remedy=f"less {home.log}",
            )
        data = os.read(reports, 65536)
        if not data:
            raise EngineFailed(
                f"the engine ended with exit code {child.wait()} before it was ready",
                cause=log_tail(home),
                remedy=f"less {home.log}",
            )
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            report = json.loads(line)
            if "error" in report:
                raise ReportedError(report["error"])
            if "ready" in report:
                return EngineRecord(**report["ready"])
            say(report["step"])


def log_tail(home: Home) -> str:
    """The last lines of the engine's log."""
    try:
        lines = home.log.read_text(errors="replace").splitlines()
    except OSError:
        return f"{home.log} does not exist"
    return "\n         ".join(lines[-LOG_TAIL_LINES:]) or f"{home.log} is empty"


def stop(record: EngineRecord, say: Say, *, force: bool = False) -> None:
    """Ask an engine to stop and wait until its process is gone. Raises ``EngineStuck``.

    With ``force`` its pods get two seconds instead of their grace periods.
    """
    deadline = time.monotonic() + STOP_SECONDS
    descriptor = os.pidfd_open(record.pid)
    try:
        if not process.is_alive(record.process):
            return
        signal.pidfd_send_signal(descriptor, signal.SIGQUIT if force else signal.SIGTERM)
        say(f"waiting for process {record.pid} and its pods to end")
        if not select.select([descriptor], [], [], deadline - time.monotonic())[0]:
            raise EngineStuck(
                f"the engine (process {record.pid}) did not stop within {STOP_SECONDS:.0f} s",
                remedy=f"kill -9 {record.pid}   (its pods go on; then: sidings down --force)",
            )
    finally:
        os.close(descriptor)


def run_in_foreground(home: Home, options: EngineOptions, say: Say, ready: Callable[[EngineRecord], None]) -> None:
    """Run an engine in this process until SIGTERM or Ctrl-C; its log goes to stderr."""
    _log_to(logging.StreamHandler(sys.stderr), options)
    _serve(home, options, say, ready)


def _serve(home: Home, options: EngineOptions, say: Say, ready: Callable[[EngineRecord], None]) -> None:
    import uvloop

    from sidings.clock import SystemClock
    from sidings.host.engine import Engine
    from sidings.node.gpus.nvml import gpus_of_this_machine

    def accepted(record: EngineRecord) -> None:
        write_json(home.options_file, replace(options, last_port=record.port).to_json())
        ready(record)
        systemd.notify_ready(os.environ)

    async def serve() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        say(f"opening {home.path}")
        async with Engine.open(home, options, SystemClock(), random.Random(), gpus_of_this_machine()) as engine:

            def stop_at_once() -> None:
                engine.hurry()
                stop.set()

            loop.add_signal_handler(signal.SIGQUIT, stop_at_once)
            await engine.run(say, accepted, stop)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())


def _log_to(handler: logging.Handler, options: EngineOptions) -> None:
    handler.setFormatter(log_format.formatter(options.log_format))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def first_of_ours(error: BaseException) -> SidingsError | None:
    """The first error in ``error`` (a group is searched) that was raised on purpose."""
    if isinstance(error, BaseExceptionGroup):
        return next((found for inner in error.exceptions if (found := first_of_ours(inner))), None)
    return error if isinstance(error, SidingsError) else None


def main(argv: list[str]) -> int:
    """The child: ``HOME OPTIONS-JSON REPORT-FD``."""
    home, options = Home(Path(argv[0])), EngineOptions.from_json(json.loads(argv[1]))
    reports = os.fdopen(int(argv[2]), "w", buffering=1)
    try:
        from sidings.store import place

        place.prepare(home.path)
        _log_to(logging.handlers.RotatingFileHandler(home.log, maxBytes=LOG_BYTES, backupCount=1), options)
        _serve(
            home,
            options,
            lambda text: _report(reports, step=text),
            lambda record: _report_last(reports, ready=asdict(record)),
        )
    except BaseException as error:
        logging.getLogger(__name__).exception("the engine ended")
        known = first_of_ours(error)
        if known is not None and not reports.closed:
            _report_last(
                reports, error={"code": known.code, "what": known.what, "cause": known.cause, "remedy": known.remedy}
            )
        return 1
    return 0


def _report(reports: TextIO, **message: Any) -> None:
    reports.write(json.dumps(message) + "\n")


def _report_last(reports: TextIO, **message: Any) -> None:
    _report(reports, **message)
    reports.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
