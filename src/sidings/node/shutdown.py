"""Ending every sandbox of a state directory, with or without a control plane: ``down`` after a crash needs no API.

Afterwards no process of ours is left, and with the last process the kernel takes the namespaces: bridge, veths and
mounts; control groups are removed. Records and logs stay.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sidings.clock import Clock
from sidings.node.errors import SandboxFailed
from sidings.node.limits import enforcement
from sidings.node.sandbox import client as sandbox_client
from sidings.node.sandbox import identity, outside
from sidings.node.sandbox.client import SandboxClient

POLL_SECONDS = 0.02
PATIENCE_SECONDS = 5.0
"""How long a process may take to leave by itself before it is killed."""


class _Process(NamedTuple):
    pid: int
    start_time: int
    boot_id: str

    @property
    def alive(self) -> bool:
        return identity.is_alive(self.pid, self.start_time, self.boot_id)


async def stop_sandboxes(sandbox: SandboxClient, clock: Clock, grace_seconds: float = 0) -> int:
    """Stop all pods (SIGTERM first with a grace period), then the zygote; returns how many pods were running."""
    directories = [path.parent for path in sandbox.directory.glob("pods/*/status.json")]
    living = [path for path in directories if _lives(path)]
    if grace_seconds > 0:
        await asyncio.gather(*(_stop(sandbox, clock, path, grace_seconds) for path in living))
    shims = [_shim(path) for path in living]
    supervisors = list(_supervisors(sandbox.directory))
    await asyncio.gather(*(sandbox.leave(path) for path in living))
    await sandbox.shutdown()
    _kill(supervisors)  # a zygote that was killed before cannot take its name server along
    await _ended([*shims, *supervisors], clock)
    enforcement.forget(sandbox.directory)
    return len(living)


def _lives(pod_directory: Path) -> bool:
    status = sandbox_client.read_status(pod_directory)
    return status is not None and sandbox_client.is_alive(status)


def _shim(pod_directory: Path) -> _Process:
    status = sandbox_client.read_status(pod_directory)
    assert status is not None, "only directories with a living shim are asked"
    return _Process(status.pid, status.start_time, status.boot_id)


def _supervisors(directory: Path) -> Iterator[_Process]:
    for name in ("zygote.json", "name-server.json", "service-proxy.json", outside.NOTE):
        path = directory / name
        if path.exists():
            yield _Process(**json.loads(path.read_text()))


async def _stop(sandbox: SandboxClient, clock: Clock, path: Path, grace: float) -> None:
    """SIGTERM to everything in the pod, and wait for its end at most the grace period."""
    status = sandbox_client.read_status(path)
    running = [name for name, attempts in status.attempts.items() if attempts[-1].running] if status else []
    try:
        await sandbox.stop(path, running, grace)
        async for status in sandbox.watch(path):
            if not any(attempts[-1].running for attempts in status.attempts.values()):
                return
    except (OSError, SandboxFailed):
        return  # its shim has just ended


async def _ended(processes: list[_Process], clock: Clock) -> None:
    """Wait for their end; those that do not leave are killed."""
    due = clock.monotonic() + PATIENCE_SECONDS
    while any(process.alive for process in processes):
        if clock.monotonic() > due:
            _kill(processes)
        await clock.sleep(POLL_SECONDS)


def _kill(processes: list[_Process]) -> None:
    for process in processes:
        if process.alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
