"""What a job costs in a queue, by how many jobs there are: the scheduler and the controllers of queues in one process.

All jobs wait from the beginning, in 30 queues of 5 cohorts, in the sizes of Kueue's published "baseline" workload. They
are Workloads in an API in memory on virtual time; a runner ends each of them its run time after it was admitted. CPU
time per job, of the whole: reading objects, deciding, writing statuses, counting, answering the watch.

    python benchmarks/queue_growth.py [1500 5000 15000 50000] [--profile]

Deciding alone, as the published figures of the real scheduler have it, is ``kueue.py``'s.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import looptime

from kueue import Published, Size, objects_of, workload
from sidings.api import catalog, conditions
from sidings.api.objects import Key, Object, copy_of, key_of
from sidings.api.resources import CLUSTER_QUEUES, LOCAL_QUEUES, NAMESPACES, RESOURCE_FLAVORS, WORKLOADS, Resource
from sidings.client.local import LocalClient
from sidings.clock import LoopClock
from sidings.controllers.kueue import workload_status
from sidings.controllers.kueue.queues import Queues
from sidings.controllers.kueue.scheduler import Scheduler
from sidings.controllers.kueue.settings import Settings
from sidings.controllers.kueue.workloads import Workloads
from sidings.host import bootstrap
from sidings.registry.admission import defaults
from sidings.registry.registry import Registry
from sidings.store.store import Store

COHORTS, QUEUES = 5, 6
PARTS = (("small", 0.7, 0.2, 50, "1"), ("medium", 0.2, 0.5, 100, "5"), ("large", 0.1, 1.0, 200, "20"))
"""Sizes: which part of all, run time in seconds, priority, CPUs."""
USUAL = (1_500, 5_000, 15_000, 50_000)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("jobs", nargs="*", type=int, default=USUAL)
    parser.add_argument("--profile", action="store_true", help="what the time goes to")
    options = parser.parse_args()
    for jobs in options.jobs:
        loop = looptime.new_event_loop()
        loop.run_until_complete(Growth(jobs).play(profile=options.profile))
        loop.close()


class Growth:
    """One run with so many jobs."""

    def __init__(self, jobs: int) -> None:
        self._clock = LoopClock()
        self._rng = random.Random(1)
        registry = Registry(
            Store.in_memory(), catalog.builtin(), self._clock, self._rng, admission=defaults.plugins(self._clock)
        )
        self._client = LocalClient(registry)
        each = jobs // (COHORTS * QUEUES)
        sizes = tuple(
            Size(name, round(each * part), 0.0, runtime, priority, cpu) for name, part, runtime, priority, cpu in PARTS
        )
        self._published = Published(COHORTS, QUEUES, sizes)
        self._left: set[Key] = set()
        self._running: set[Key] = set()
        self._done = asyncio.Event()
        self._playing = 0.0
        """CPU seconds of the runner, which are not the queue's."""

    async def play(self, *, profile: bool) -> None:
        await bootstrap.bootstrap(self._client)
        begun = time.process_time()
        await self._create()
        made = time.process_time() - begun
        settings = Settings(self._client, self._clock)
        scheduler = Scheduler(self._client, self._clock, settings)
        queues = Queues(self._client, self._clock, scheduler.cache, settings)
        scheduler.changed = queues.look
        controller = Workloads(self._client, self._clock, self._rng, settings)
        loops = [settings.run(), scheduler.run(), queues.run(), controller.run(), self._run_jobs()]
        profiler = cProfile.Profile()
        jobs, begun, at = len(self._left), time.process_time(), self._clock.monotonic()
        if profile:
            profiler.enable()
        running = [asyncio.create_task(loop) for loop in loops]
        await asyncio.wait([asyncio.create_task(self._done.wait()), *running], return_when=asyncio.FIRST_COMPLETED)
        profiler.disable()
        spent = time.process_time() - begun - self._playing
        for task in running:
            task.cancel()
        await asyncio.wait(running)
        print(
            f"{jobs:6} jobs: {1000 * spent / jobs:.2f} ms each in the queue, {1000 * made / jobs:.2f} ms to create,"
            f" all ended after {self._clock.monotonic() - at:.0f} s",
            flush=True,
        )
        if profile:
            pstats.Stats(profiler, stream=sys.stdout).sort_stats("tottime").print_stats(25)

    async def _create(self) -> None:
        resources = {"ResourceFlavor": RESOURCE_FLAVORS, "ClusterQueue": CLUSTER_QUEUES}
        names = []
        for obj in objects_of(self._published):
            await self._make(resources[obj["kind"]], obj)
            if obj["kind"] == "ClusterQueue":
                names.append(obj["metadata"]["name"])
        for name in names:
            await self._make(NAMESPACES, {"metadata": {"name": name}})
            await self._make(LOCAL_QUEUES, {"metadata": {"name": name}, "spec": {"clusterQueue": name}}, name)
            for obj in self._workloads(name):
                self._left.add(Key(name, obj["metadata"]["name"]))
                await self._make(WORKLOADS, obj, name)

    def _workloads(self, queue: str) -> Iterator[Object]:
        for size in self._published.sizes:
            for index in range(size.count):
                obj = workload(f"{size.name}-{queue}-{index}", queue, size)
                spec = obj["spec"]["podSets"][0]["template"]["spec"]
                spec["restartPolicy"], spec["containers"][0]["image"] = "Never", "i"
                yield {**obj, "metadata": {"name": obj["metadata"]["name"]}}

    async def _make(self, resource: Resource, obj: dict[str, Any], namespace: str = "") -> None:
        stored = {"apiVersion": resource.api_version, "kind": resource.kind, **obj}
        await self._client.create(resource, stored, namespace=namespace)

    async def _run_jobs(self) -> None:
        runtimes = {size.name: size.runtime for size in self._published.sizes}
        async with asyncio.TaskGroup() as jobs:
            async for event in self._client.watch(WORKLOADS, resource_version=""):
                if event.type == "BOOKMARK":
                    continue
                key, obj = key_of(event.object), event.object
                if workload_status.is_admitted(obj) and key in self._left and key not in self._running:
                    self._running.add(key)
                    jobs.create_task(self._end(key, runtimes[key.name.partition("-")[0]]))

    async def _end(self, key: Key, after: float) -> None:
        """Its job ends, or stops if it was evicted meanwhile."""
        await self._clock.sleep(after)
        begun = time.process_time()
        obj = copy_of(await self._client.get(WORKLOADS, key.name, key.namespace))
        self._running.discard(key)
        if workload_status.is_evicted(obj):
            workload_status.release(obj, self._clock.now())
        else:
            workload_status.finish(obj, "Succeeded", "ended", self._clock.now())
        await self._client.update(WORKLOADS, obj, subresource="status", field_manager="runner")
        if conditions.is_true(obj, "Finished"):
            self._left.discard(key)
        if not self._left:
            self._done.set()
        self._playing += time.process_time() - begun


if __name__ == "__main__":
    main()
