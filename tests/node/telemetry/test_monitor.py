"""The monitor over in-memory GPUs and this very process as a pod's shim."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
from collections.abc import AsyncIterator, Callable, Collection
from pathlib import Path

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS, NAMESPACES
from sidings.client.local import LocalClient
from sidings.clock import LoopClock
from sidings.node.gpus.in_memory import InMemoryGpus, h200
from sidings.node.gpus.manager import GpuManager
from sidings.node.gpus.source import Fault, Reading, units
from sidings.node.telemetry.monitor import Monitor, Target
from sidings.node.telemetry.workload import Workload
from sidings.registry.registry import Registry
from sidings.store.store import Store

RANK = Workload("u", "default", "train-node-0-0-x", "node-1", "JobSet", "train", "node", "0")


class Bench:
    """A monitor, what it looks at, and the API it asks."""

    def __init__(self, folder: Path) -> None:
        self.clock = LoopClock()
        self.client = LocalClient(Registry(Store.in_memory(), catalog.builtin(), self.clock, random.Random(0)))
        self.driver = InMemoryGpus([h200(0), h200(1)])
        self.gpus = GpuManager(self.driver, {"node-1": units(self.driver.devices())}, folder)
        self.targets: Collection[Target] = [Target(RANK, os.getpid())]
        self.known: Collection[str] = {"u"}
        self.file = folder / "telemetry.json"
        self.monitor = self.new_monitor()

    def new_monitor(self) -> Monitor:
        return Monitor(self.client, self.clock, self.gpus, lambda: self.targets, lambda: self.known, self.file)


async def test_it_measures_pods_and_gpus_and_says_whose_they_are(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.gpus.claim("node-1", "u", "train", 1)
    bench.driver.show(Reading(h200(0).uuid, utilization_percent=80), Reading(h200(1).uuid, utilization_percent=5))
    bench.driver.fail(Fault(h200(1).uuid, 79))
    bench.gpus.check()
    await bench.monitor.measure()
    lines = bench.monitor.exposition().splitlines()
    busy = [line for line in lines if line.startswith("DCGM_FI_DEV_GPU_UTIL")]
    assert [line.rpartition(" ")[2] for line in busy] == ["80", "5"]
    assert 'exported_pod="train-node-0-0-x"' in busy[0]
    assert "exported_pod" not in busy[1]
    assert [line[-3:] for line in lines if line.startswith("DCGM_FI_DEV_XID_ERRORS")] == ["} 0", " 79"]
    assert any(line.startswith('container_memory_rss{namespace="default",pod="train-node-0-0-x"') for line in lines)
    (job,) = bench.monitor.jobs()
    assert job["ranks"][0]["gpus"][0]["figures"]["utilization_percent"]["now"] == 80
    assert bench.monitor.jobs("other") == []


async def test_figures_outlive_the_pod_and_go_with_the_job(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    await bench.client.create(NAMESPACES, named("v1", "Namespace", "default"))
    job_set: Object = named("jobset.x-k8s.io/v1alpha2", "JobSet", "train")
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    job_set["spec"] = {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": template}}}]}
    await bench.client.create(JOB_SETS, job_set, namespace="default")
    await bench.monitor.measure()
    bench.targets, bench.known = [], set()
    await bench.monitor.measure()
    await bench.monitor.forget()
    (job,) = bench.monitor.jobs()
    assert not job["ranks"][0]["running"]
    assert "container" not in bench.monitor.exposition()
    await bench.client.delete(JOB_SETS, "train", "default")
    await bench.monitor.forget()
    assert bench.monitor.jobs() == []


@pytest.mark.looptime
async def test_figures_outlive_the_engine(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with running(bench.monitor):
        await until(lambda: len(course(bench.monitor)) >= 3)
    before = course(bench.monitor)
    after = bench.new_monitor()
    async with running(after):
        await until(lambda: len(course(after)) > len(before))
    assert course(after)[: len(before)] == before


@contextlib.asynccontextmanager
async def running(monitor: Monitor) -> AsyncIterator[None]:
    task = asyncio.create_task(monitor.run())
    yield
    task.cancel()
    await asyncio.wait([task])


async def until(met: Callable[[], bool]) -> None:
    while not met():  # noqa: ASYNC110 - measuring is done in a thread, which sets no event
        await asyncio.sleep(0.1)


def course(monitor: Monitor) -> list[list[float]]:
    """Of the memory of the only pod."""
    return [
        list(point)
        for job in monitor.jobs(course=True)
        for rank in job["ranks"]
        for point in rank["figures"]["memory_bytes"]["course"]
    ]


def named(version: str, kind: str, name: str) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
