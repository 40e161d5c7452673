"""The API under load, over TLS, with all controllers running, against what is asked for.

    python benchmarks/api.py [--seconds 5] [--only get,watch]

The engine is a whole one, on SQLite with synchronous=FULL; wrk is the load. Figures are for the machine that runs it.
All but the idle memory are measured with ``--nodes 0``, so that no pod runs beside what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import uvloop

import visitors
import watchers
import wrk
from engine import Engine
from sidings.client import kubeconfig
from sidings.client.kubeconfig import ClientConfig

CONNECTIONS = 16
STORED = 20_000
PODS = 10_000
WATCHERS = 1000
EVENTS_PER_SECOND = 10
HELD, EXCESS = 4000, 200
"""Connections: fewer than the server takes, and how many more come at a time."""
OK, TOO_MANY_REQUESTS = 200, 429
SETTLE_SECONDS = 3
NAMESPACES = "/api/v1/namespaces"
PODS_PATH = "/api/v1/namespaces/bench/pods"
TRAIN_JOBS = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/bench/trainjobs"


class Figure(NamedTuple):
    """One line of the table. ``at_least`` or ``at_most`` is what is asked for, if anything is."""

    what: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    def __str__(self) -> str:
        bar, verdict = "", ""
        if self.at_least is not None:
            bar, verdict = f">= {self.at_least:,.0f}", "met" if self.value >= self.at_least else "MISSED"
        if self.at_most is not None:
            bar, verdict = f"<= {self.at_most:,.0f}", "met" if self.value <= self.at_most else "MISSED"
        return f"| {self.what} | {self.value:,.{self.value < 100:d}f} {self.unit} | {bar} | {verdict} |"


class Api:
    """A running engine and how it is asked."""

    def __init__(self, engine: Engine, seconds: float) -> None:
        self.engine = engine
        self.seconds = seconds
        self.config: ClientConfig = kubeconfig.load([Path(engine.environment["KUBECONFIG"])])
        record = json.loads((engine.home / "state" / "engine.json").read_text())
        self._process = psutil.Process(record["pid"])

    def megabytes(self) -> float:
        time.sleep(SETTLE_SECONDS)
        return float(self._process.memory_info().rss) / 1e6

    def get(self, path: str, connections: int = CONNECTIONS) -> wrk.Load:
        return wrk.get(f"{self.config.server}{path}", self.config.token, connections=connections, seconds=self.seconds)

    def post(self, path: str, body: Any, *, connections: int = CONNECTIONS, seconds: float = 0) -> wrk.Load:
        url = f"{self.config.server}{path}"
        return wrk.post(url, self.config.token, body, connections=connections, seconds=seconds or self.seconds)

    def count(self, path: str) -> int:
        page = json.loads(self.engine.kubectl("get", "--raw", f"{path}?limit=1"))
        return len(page["items"]) + int(page["metadata"].get("remainingItemCount", 0))

    def fill(self, path: str, body: Callable[[str], Any], wanted: int) -> None:
        """POST until there are ``wanted`` objects."""
        begun = 0
        while (there := self.count(path)) < wanted:
            begun += 1
            self.post(path, body(f"fill-{os.getpid()}-{begun}"), seconds=max(1, min(20, (wanted - there) // 1500)))


def pod(prefix: str) -> Any:
    """A pod of about 1.4 KB once it is stored, as trainers have; no scheduler takes it."""
    environment = [{"name": f"SETTING_{number}", "value": f"value-{number}"} for number in range(10)]
    container = {"name": "main", "image": "python:3.11", "command": ["torchrun", "train.py"], "env": environment}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{prefix}-NUMBER", "labels": {"job": "bench"}},
        "spec": {"schedulerName": "nobody", "containers": [container]},
    }


def train_job(prefix: str, *, suspend: bool = True) -> Any:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": f"{prefix}-NUMBER"},
        "spec": {
            "suspend": suspend,
            "runtimeRef": {"name": "torch-distributed"},
            "trainer": {"numNodes": 2, "image": "python:3.11", "command": ["torchrun", "train.py"]},
        },
    }


def config_map(prefix: str) -> Any:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{prefix}-NUMBER"}, "data": {"a": "b"}}


@contextmanager
def running(seconds: float, *options: str) -> Iterator[Api]:
    with Engine(*options) as engine:
        engine.kubectl("create", "namespace", "bench")
        yield Api(engine, seconds)


def reads(seconds: float) -> Iterator[Figure]:
    with running(seconds, "--nodes", "0") as api:
        for number in range(100):
            api.engine.kubectl("create", "--raw", PODS_PATH, "-f", "-", stdin=_numbered(pod("p"), number))
        got = api.get(f"{PODS_PATH}/p-50")
        yield Figure("get", got.rate, "/s", at_least=6000)
        yield Figure("get, p99", got.p99, "ms")
        alone = api.get(f"{PODS_PATH}/p-50", connections=1)
        yield Figure("get, one connection", alone.rate, "/s")
        yield Figure("list of 100 pods", api.get(PODS_PATH).rate, "/s", at_least=1500)


def writes(seconds: float) -> Iterator[Figure]:
    with running(seconds, "--nodes", "0") as api:
        made = api.post(TRAIN_JOBS, train_job("suspended"))
        yield Figure("durable create of a suspended TrainJob", made.rate, "/s", at_least=1000)
    with running(seconds, "--nodes", "0") as api:
        made = api.post(TRAIN_JOBS, train_job("runs", suspend=False))
        yield Figure("durable create of a TrainJob that its controllers take up", made.rate, "/s")
    with running(seconds, "--nodes", "0") as api:
        made = api.post("/api/v1/namespaces/bench/configmaps", config_map("c"))
        yield Figure("durable create of a ConfigMap", made.rate, "/s")


def full(seconds: float) -> Iterator[Figure]:
    """Writes while many objects are stored."""
    with running(seconds, "--nodes", "0") as api:
        api.fill(PODS_PATH, pod, PODS)
        yield Figure(f"memory with {api.count(PODS_PATH):,} pods", api.megabytes(), "MB", at_most=300)
        api.fill(TRAIN_JOBS, train_job, STORED - PODS)
        stored = api.count(PODS_PATH) + api.count(TRAIN_JOBS)
        api.megabytes()
        for connections in (4, CONNECTIONS):
            made = api.post(TRAIN_JOBS, train_job(f"late-{connections}"), connections=connections)
            what = f"{stored:,} stored, {connections} writers without a pause: p99 of a create"
            yield Figure(what, made.p99, "ms", at_most=15 if connections == 4 else None)
            yield Figure(f"{stored:,} stored, {connections} writers: creates", made.rate, "/s")
        yield Figure("the disk alone: p99 of writing and flushing 4 KB", flush_p99(api.engine.home), "ms")


def flush_p99(folder: Path, count: int = 500) -> float:
    """Milliseconds. No durable write is faster, and one that comes during another's flush waits for both."""
    taken = []
    with (folder / "flushed").open("wb", buffering=0) as file:
        for _ in range(count):
            file.write(bytes(4096))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began)
    return sorted(taken)[count * 99 // 100] * 1000


def watch(seconds: float) -> Iterator[Figure]:
    with running(seconds, "--nodes", "0") as api:
        api.engine.kubectl("create", "--raw", PODS_PATH, "-f", "-", stdin=_numbered(pod("p"), 1))
        p50, p99 = watchers.measure(
            api.config, f"{PODS_PATH}/p-1", watchers=WATCHERS, per_second=EVENTS_PER_SECOND, seconds=seconds
        )
        what = f"{WATCHERS:,} watchers, {EVENTS_PER_SECOND} events/s"
        yield Figure(f"{what}: p50", p50, "ms")
        yield Figure(f"{what}: p99", p99, "ms", at_most=60)


def crowd(seconds: float) -> Iterator[Figure]:
    """Others' requests while thousands of connections are held open, and while more are refused."""
    with running(seconds, "--nodes", "0") as api:
        api.engine.kubectl("create", "--raw", PODS_PATH, "-f", "-", stdin=_numbered(pod("p"), 1))
        one = f"{PODS_PATH}/p-1"
        yield Figure("get, p99, nobody else connected", api.get(one).p99, "ms")
        before = api.megabytes()
        yield from uvloop.run(_crowded(api, one, before))


async def _crowded(api: Api, path: str, before: float) -> list[Figure]:
    async with visitors.of(api.config, HELD) as held:
        load = await asyncio.to_thread(api.get, path)
        memory = await asyncio.to_thread(api.megabytes)
        asked = asyncio.create_task(asyncio.to_thread(api.get, path))
        refused = 0
        while not asked.done():
            async with visitors.of(api.config, EXCESS) as more:
                refused += sum(visitor.code == TOO_MANY_REQUESTS for visitor in more)
        for visitor in held:
            visitor.ask()
        await asyncio.gather(*(visitor.answered.wait() for visitor in held))
        served = sum(visitor.is_open and visitor.code == OK for visitor in held)
    return [
        Figure(f"get, p99, {HELD:,} idle connections", load.p99, "ms"),
        Figure(f"memory of {HELD:,} idle connections", memory - before, "MB"),
        Figure(f"get, p99, {refused:,} more refused meanwhile", (await asked).p99, "ms"),
        Figure("of the idle ones served afterwards", served, "", at_least=HELD),
    ]


def idle(seconds: float) -> Iterator[Figure]:
    with running(seconds) as api:
        yield Figure("memory, idle", api.megabytes(), "MB", at_most=80)


def _numbered(body: Any, number: int) -> str:
    return json.dumps(body).replace("NUMBER", str(number))


PARTS = {"get": reads, "create": writes, "watch": watch, "full": full, "crowd": crowd, "idle": idle}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="time for each figure")
    parser.add_argument("--only", default=",".join(PARTS), help="some of: %(default)s")
    arguments = parser.parse_args()
    if not wrk.available():
        raise SystemExit("wrk is not installed: apt-get install wrk")
    print("| what | figure | asked for | |\n|---|---|---|---|")
    for name in arguments.only.split(","):
        for figure in PARTS[name](arguments.seconds):
            print(figure, flush=True)


if __name__ == "__main__":
    main()
