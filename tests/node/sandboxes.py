"""Real sandboxes for tests: a zygote of root or of an ordinary user, pods on it, and a check that nothing is left."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from sidings.clock import SystemClock
from sidings.node import shutdown
from sidings.node.sandbox.client import SandboxClient, read_status
from sidings.node.sandbox.rootfs import SCRATCH, WORK
from sidings.node.sandbox.spec import Attempt, Bind, Container, PodSandbox, Root
from tests.node.waiting import until

NOBODY = 65534
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


def interpreter_for_all() -> str | None:
    """A Python that every user of the machine can run: ours, unless it lies in somebody's home."""
    for program in (sys.executable, "/usr/bin/python3"):
        path = Path(program).resolve()
        if path.exists() and all(folder.stat().st_mode & 0o5 == 0o5 for folder in (path, *path.parents)):
            return program
    return None


class Sandboxes:
    """A node's state directory with a zygote, and the pods that a test makes."""

    def __init__(self, directory: Path, *, as_user: bool) -> None:
        self.directory = directory
        self.as_user = as_user
        self._demoted = as_user and os.geteuid() == 0
        self.client = SandboxClient(directory, (interpreter_for_all() or "") if self._demoted else sys.executable)
        self.folder(directory)
        self.folder(directory / "shm")
        self.folder(directory / "pods")

    def start_zygote(self) -> int:
        credentials: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if self._demoted else {}
        return self.client.start_zygote(**credentials)

    def folder(self, path: Path) -> Path:
        path.mkdir(parents=True, exist_ok=True)
        if self._demoted:
            os.chown(path, NOBODY, NOBODY)
        return path

    def pod_directory(self, number: int) -> Path:
        return self.directory / "pods" / f"{number:08d}-0000-4000-8000-000000000000"

    async def start_pod(self, number: int = 1, group: str = "job", hosts: str = "", **fields: Any) -> Path:
        """Pod ``number`` at 10.244.1.<number + 1>, called ``pod-<number>``."""
        directory = self.folder(self.pod_directory(number))
        etc = self.folder(self.folder(directory / "files") / "etc")
        address = f"10.244.1.{number + 1}"
        (etc / "hosts").write_text(f"{address}\tpod-{number}\n127.0.0.1\tlocalhost\n{hosts}")
        (etc / "resolv.conf").write_text("nameserver 10.244.0.1\n")
        pod = PodSandbox(directory.name, str(directory), f"pod-{number}", address, group, **fields)
        await self.client.start_pod(pod)
        return directory

    def container(self, pod: Path, *argv: str, name: str = "c", attempt: int = 0, **fields: Any) -> Container:
        scratch = self.folder(self.folder(pod / "containers") / f"{name}-{attempt}")
        for part in SCRATCH:
            self.folder(scratch / part)
        log = self.folder(self.folder(pod / "logs") / name) / f"{attempt}.log"
        binds: tuple[Bind, ...] = fields.pop("binds", ())
        masked: tuple[str, ...] = fields.pop("masked", ())
        root = Root(hidden=("/root", "/home"), binds=binds, masked=(str(self.directory), *masked))
        chosen: dict[str, Any] = {
            "environment": {"PATH": PATH, "HOME": "/root"},
            "directory": WORK,
            "root": root,
            "log_max_bytes": 10**7,
            "log_max_files": 3,
        }
        return Container(name, attempt, argv, scratch=str(scratch), log=str(log), **(chosen | fields))

    async def run(self, pod: Path, *argv: str, **fields: Any) -> None:
        await self.client.run(pod, self.container(pod, *argv, **fields))

    async def ended(self, pod: Path, name: str = "c", attempt: int = 0) -> Attempt:
        """Wait for the end of an attempt."""
        async with contextlib.aclosing(self.client.watch(pod)) as changes:  # type: ignore[type-var]
            async for status in changes:
                for known in status.attempts.get(name, ()):
                    if known.number == attempt and not known.running:
                        return known
        raise AssertionError("the sandbox ended first")

    async def output(self, pod: Path, *argv: str, **fields: Any) -> tuple[int, str]:
        """Run to the end; (exit code, text of both streams)."""
        await self.run(pod, *argv, **fields)
        name, attempt = fields.get("name", "c"), fields.get("attempt", 0)
        ended = await self.ended(pod, name, attempt)
        return int(ended.exit_code or 0), self.log(pod, name, attempt)

    async def shell(self, pod: Path, script: str, **fields: Any) -> tuple[int, str]:
        return await self.output(pod, "sh", "-c", script, **fields)

    def log(self, pod: Path, name: str = "c", attempt: int = 0) -> str:
        lines = (pod / "logs" / name / f"{attempt}.log").read_text().split("\n")[:-1]
        parts = [line.split(" ", 3) for line in lines]
        return "".join(text + ("\n" if tag == "F" else "") for _, _, tag, text in parts)

    async def said(self, text: str, pod: Path, name: str = "c") -> None:
        """Wait until the container has written ``text``."""
        await until(lambda: text in self.log(pod, name))

    def attempts(self, pod: Path, name: str = "c") -> list[Attempt]:
        status = read_status(pod)
        return status.attempts.get(name, []) if status else []

    async def close(self) -> None:
        await shutdown.stop_sandboxes(self.client, SystemClock())
        assert not leftovers(self.directory)
        shutil.rmtree(self.directory)


def leftovers(directory: Path) -> list[str]:
    """Processes that work for ``directory`` and mounts below it that the host can see."""
    found = [
        f"mount {line}" for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(directory) in line
    ]
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            if str(directory) in command and "sandbox.zygote" in command:
                found.append(f"process {process.name}: {command}")
    return found


def kinds() -> Iterator[str]:
    """Which users can be tried on this machine: root only by root."""
    if os.geteuid() == 0:
        yield "root"
    if os.geteuid() != 0 or interpreter_for_all():
        yield "user"


async def opened(directory: Path, kind: str) -> AsyncIterator[Sandboxes]:
    """A fixture's body: sandboxes with a running zygote, and their end."""
    sandboxes = Sandboxes(directory, as_user=kind == "user")
    try:
        sandboxes.start_zygote()
        yield sandboxes
    finally:
        await sandboxes.close()
