"""Pods below the API, next to bare runc and to podman, in one run: start, a hundred at once, memory, exec, logs.

    sudo python benchmarks/sandbox.py [ours ours-rootless runc podman]

Ours is what the node agent asks of zygote and shim: own network (a veth on the node's bridge), root, log and status.
runc is given a bundle with namespaces and no network; podman runs the same image with a network of its own without
interfaces. Needs root, which also plays the ordinary user; runc and podman are left out where they are not installed.
Limits are those of design: at most 1.2 times what the first prototype measured on this kind of machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sidings.node.sandbox.client import is_alive, read_status
from tests.node.container_engine.images import BUSYBOX, root_file_system
from tests.node.sandboxes import Sandboxes

STARTS, EXECS, MANY, AT_ONCE = 15, 15, 100, 16
LOGGED = 220
LINE = "y" * 119
LOG_BYTES = 200_000_000
ALLOWED = {
    "pod start, median": 1.2 * 22,
    "100 pods at once": 1.2 * 1510,
    "exec, median": 1.2 * 67,
    "memory that a pod takes": 1.2 * 4.4,
    "supervisors of a pod": 1.2 * 3.4,
}
"""ms, and MB."""
AT_LEAST = {"log of one container": 216 / 1.2}
"""MB/s."""


class Contender(Protocol):
    name: str

    async def open(self, directory: Path) -> None: ...

    async def start(self, number: int, *argv: str) -> None:
        """Returns when the command runs."""

    async def stop(self, number: int) -> None: ...

    async def execute(self, number: int) -> None:
        """``true`` inside, to its end."""

    async def write_log(self, number: int, script: str) -> Path:
        """Run ``script`` to its end, until the log has all of its output; where the log is."""

    def supervisors(self) -> list[int]:
        """Pids of what is there for the containers beside their commands."""

    async def close(self) -> None: ...


class Ours:
    """One zygote, as root or as nobody."""

    def __init__(self, *, rootless: bool) -> None:
        self.name = "ours, ordinary user" if rootless else "ours, root"
        self._rootless = rootless

    async def open(self, directory: Path) -> None:
        directory.parent.chmod(0o755)
        directory.chmod(0o755)
        self._sandboxes = Sandboxes(directory / "node", as_user=self._rootless)
        self._sandboxes.start_zygote()

    async def start(self, number: int, *argv: str) -> None:
        pod = await self._sandboxes.start_pod(number)
        await self._sandboxes.run(pod, *argv)

    async def stop(self, number: int) -> None:
        await self._sandboxes.client.leave(self._sandboxes.pod_directory(number))

    async def execute(self, number: int) -> None:
        pipes = [os.open("/dev/null", os.O_RDWR) for _ in range(3)]
        pod = self._sandboxes.pod_directory(number)
        async with self._sandboxes.client.execute(pod, "c", ["true"], descriptors=pipes) as session:
            for fd in pipes:
                os.close(fd)
            await session.answer()

    async def write_log(self, number: int, script: str) -> Path:
        pod = await self._sandboxes.start_pod(number)
        await self._sandboxes.run(pod, "sh", "-c", script)
        await self._sandboxes.ended(pod)
        return pod / "logs" / "c"

    def supervisors(self) -> list[int]:
        statuses = [read_status(path) for path in (self._sandboxes.directory / "pods").iterdir()]
        living = [status for status in statuses if status is not None and is_alive(status)]
        return [pid for status in living for pid in (status.pid, status.attempts["c"][-1].pid)]

    async def close(self) -> None:
        await self._sandboxes.close()


class Runc:
    """Bundles of a busybox image; runc keeps no process of its own for a container, and no log."""

    name = "runc, no network"

    async def open(self, directory: Path) -> None:
        self._directory = directory
        self._root = root_file_system(directory / "image")

    async def start(self, number: int, *argv: str) -> None:
        await self._run(number, argv, detached=True, output=None)

    async def stop(self, number: int) -> None:
        await _quietly("runc", "delete", "--force", self._id(number))

    async def execute(self, number: int) -> None:
        await _quietly("runc", "exec", self._id(number), "true")

    async def write_log(self, number: int, script: str) -> Path:
        path = self._directory / "log"
        with path.open("wb") as log:
            await self._run(number, ("sh", "-c", script), detached=False, output=log.fileno())
        return path

    def supervisors(self) -> list[int]:
        return []

    async def close(self) -> None:
        return None

    def _id(self, number: int) -> str:
        return f"{self._directory.name}-{number}"

    async def _run(self, number: int, argv: Iterable[str], *, detached: bool, output: int | None) -> None:
        bundle = self._directory / f"bundle-{number}"
        bundle.mkdir(exist_ok=True)
        if not (bundle / "config.json").exists():
            await _quietly("runc", "spec", "--bundle", str(bundle))
        config = json.loads((bundle / "config.json").read_text())
        config["process"] |= {"args": list(argv), "terminal": False, "rlimits": []}
        config["root"] = {"path": str(self._root), "readonly": True}
        (bundle / "config.json").write_text(json.dumps(config))
        flags = ["--detach"] if detached else []
        await _quietly("runc", "run", *flags, "--bundle", str(bundle), self._id(number), output=output)


class Podman:
    """Detached containers with podman's own log, as its users start them."""

    name = "podman, no interfaces"

    async def open(self, directory: Path) -> None:
        self._directory = directory
        root = root_file_system(directory / "image")
        archive = directory / "image.tar"
        await _quietly("tar", "-C", str(root), "-cf", str(archive), ".")
        self._image = f"localhost/{directory.name}:1"
        await _quietly("podman", "import", str(archive), self._image)

    async def start(self, number: int, *argv: str) -> None:
        await self._run(number, argv, "--detach", "--log-driver", "k8s-file")

    async def stop(self, number: int) -> None:
        await _quietly("podman", "rm", "--force", "--time", "0", self._id(number))

    async def execute(self, number: int) -> None:
        await _quietly("podman", "exec", self._id(number), "true")

    async def write_log(self, number: int, script: str) -> Path:
        path = self._directory / "log"
        await self._run(number, ("sh", "-c", script), "--log-driver", "k8s-file", "--log-opt", f"path={path}")
        return path

    def supervisors(self) -> list[int]:
        return _monitors(self._directory.name)

    async def close(self) -> None:
        await _quietly("podman", "rmi", "--force", self._image)

    def _id(self, number: int) -> str:
        return f"{self._directory.name}-{number}"

    async def _run(self, number: int, argv: Iterable[str], *flags: str) -> None:
        limits = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024")
        named = ("--name", self._id(number), "--network", "none", *limits)
        await _quietly("podman", "--cgroup-manager", "cgroupfs", "run", *flags, *named, self._image, *argv)


async def measure(contender: Contender) -> dict[str, float]:
    """Figures by what they are of: ms, MB, and MB/s."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="sidings-bench-") as folder:
        directory = Path(folder).resolve() / f"b{os.getpid()}"
        directory.mkdir()
        await contender.open(directory)
        try:
            found["pod start, median"] = await _median(STARTS, lambda number: contender.start(number, "sleep", "900"))
            found["exec, median"] = await _median(EXECS, lambda number: contender.execute(number % STARTS))
            await _all(range(STARTS), contender.stop)
            found |= await _hundred(contender)
            script = f"yes {LINE} | head -c {LOG_BYTES}"
            began = time.perf_counter()
            await contender.write_log(LOGGED, script)
            found["log of one container"] = LOG_BYTES / 1e6 / (time.perf_counter() - began)
            await contender.stop(LOGGED)
        finally:
            await contender.close()
    return found


async def _median(count: int, do: Callable[[int], Awaitable[None]]) -> float:
    times = []
    for number in range(count):
        began = time.perf_counter()
        await do(number)
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


async def _hundred(contender: Contender) -> dict[str, float]:
    numbers = range(100, 100 + MANY)
    free = _available()
    began = time.perf_counter()
    await _all(numbers, lambda number: contender.start(number, "sleep", "900"))
    started = time.perf_counter() - began
    used = (free - _available()) / MANY
    supervising = sum(map(_proportional, contender.supervisors())) / MANY
    began = time.perf_counter()
    await _all(numbers, contender.stop)
    stopped = time.perf_counter() - began
    return {
        "100 pods at once": 1000 * started,
        "100 pods stopped": 1000 * stopped,
        "memory that a pod takes": used,
        "supervisors of a pod": supervising,
    }


async def _all(numbers: Iterable[int], do: Callable[[int], Awaitable[None]]) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> None:
        async with gate:
            await do(number)

    await asyncio.gather(*map(one, numbers))


def _available() -> float:
    """MB that the kernel could give to programs now."""
    line = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable"))
    return int(line.split()[1]) / 1000


def _monitors(prefix: str) -> list[int]:
    """podman's, of containers whose name begins with ``prefix``."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it has just ended
            if entry.name.isdecimal() and (entry / "comm").read_text() == "conmon\n":
                named = f"\0{prefix}-" in (entry / "cmdline").read_text()
                found += [int(entry.name)] if named else []
    return found


def _proportional(pid: int) -> float:
    """MB of a process, its share of what it has in common with others."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000


async def _quietly(*argv: str, output: int | None = None) -> None:
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL if output is None else output,
        stderr=asyncio.subprocess.DEVNULL,
    )
    if code := await process.wait():
        raise SystemExit(f"{' '.join(argv)} ended with {code}")


def contenders() -> dict[str, Contender]:
    """Those of this machine by the name on the command line."""
    found: dict[str, Contender] = {"ours": Ours(rootless=False), "ours-rootless": Ours(rootless=True)}
    if BUSYBOX is None:
        return found
    found |= {"runc": Runc()} if shutil.which("runc") else {}
    return found | ({"podman": Podman()} if shutil.which("podman") else {})


def show(results: dict[str, dict[str, float]]) -> None:
    """A table, and what the figures of ours are to their limits."""
    units: dict[str, str] = {"log of one container": "MB/s", "memory that a pod takes": "MB"}
    units["supervisors of a pod"] = "MB"
    print(f"| | {' | '.join(results)} |\n|---|{'---|' * len(results)}")
    for what in next(iter(results.values())):
        cells = [f"{found[what]:.1f} {units.get(what, 'ms')}" for found in results.values()]
        print(f"| {what} | {' | '.join(cells)} |")
    print()
    for name, found in results.items():
        for what, allowed in ALLOWED.items() if name.startswith("ours") else ():
            met = "met" if found[what] <= allowed else "MISSED"
            print(f"{name}: {what} {found[what]:.1f}, at most {allowed:.1f}: {met}")
        for what, wanted in AT_LEAST.items() if name.startswith("ours") else ():
            met = "met" if found[what] >= wanted else "MISSED"
            print(f"{name}: {what} {found[what]:.1f}, at least {wanted:.1f}: {met}")


def main() -> None:
    if os.geteuid() != 0:
        raise SystemExit("needs root: sudo python benchmarks/sandbox.py")
    known: dict[str, Any] = contenders()
    results = {}
    for name in sys.argv[1:] or known:
        contender = known[name]
        results[contender.name] = asyncio.run(measure(contender))
    load = os.getloadavg()[0]
    print(f"load average {load:.1f}, {os.cpu_count()} cores\n")
    show(results)


if __name__ == "__main__":
    main()
