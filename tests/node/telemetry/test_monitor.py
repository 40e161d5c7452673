"""The monitor over in-memory GPUs and this very process as a pod's shim."""

from __future__ import annotations

import os
import random
from collections.abc import Collection
from pathlib import Path

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
        self.monitor = Monitor(self.client, self.clock, self.gpus, lambda: self.targets, lambda: self.known)


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


def named(version: str, kind: str, name: str) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
