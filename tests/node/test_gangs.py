"""Whole gangs: distributed jobs over the pods' network, and many pods at once."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from typing import Any

import pytest

from sidings.api.resources import CONFIG_MAPS, PODS, SERVICES
from tests.node.clusters import Cluster

pytestmark = pytest.mark.e2e

IMPORTING_SECONDS = 240
"""Eight processes import torch; on a busy machine of two cores that alone takes minutes."""

ALL_REDUCE = """
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
value = torch.tensor([float(dist.get_rank())])
dist.all_reduce(value)
print(f"all_reduce = {value.item()}", flush=True)
dist.destroy_process_group()
"""


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch: pip install sidings[train]")
async def test_two_jobs_on_port_29500_at_once_both_finish(cluster: Cluster) -> None:
    await cluster.create(CONFIG_MAPS, "script", data={"train.py": ALL_REDUCE})
    jobs = ("blue", "red")
    for job in jobs:
        spec = {"clusterIP": "None", "selector": {"job": job}, "publishNotReadyAddresses": True}
        await cluster.create(SERVICES, job, spec=spec)
        for rank in (0, 1):
            await _worker(cluster, job, rank)
    names = [f"{job}-{rank}" for job in jobs for rank in (0, 1)]
    for name in names:
        await cluster.phase("Succeeded", "Failed", name=name, seconds=IMPORTING_SECONDS)
    for name in names:
        assert "all_reduce = 1.0\n" in await cluster.logs(name)


async def _worker(cluster: Cluster, job: str, rank: int) -> None:
    rendezvous = {
        "PET_NNODES": "2",
        "PET_NPROC_PER_NODE": "1",
        "PET_NODE_RANK": str(rank),
        "PET_MASTER_ADDR": f"{job}-0.{job}",
        "PET_MASTER_PORT": "29500",
    }
    fields: dict[str, Any] = {
        "command": ["torchrun", "/workspace/scripts/train.py"],
        "env": [{"name": name, "value": value} for name, value in rendezvous.items()],
        "volumeMounts": [{"name": "scripts", "mountPath": "/workspace/scripts"}],
    }
    await cluster.run(
        "",
        name=f"{job}-{rank}",
        metadata={"labels": {"job": job}},
        hostname=f"{job}-{rank}",
        subdomain=job,
        nodeName=f"node-{rank + 1}",
        volumes=[{"name": "scripts", "configMap": {"name": "script"}}],
        container_fields=fields,
    )


async def test_a_hundred_pods_start_and_go(cluster: Cluster, record_property: Any) -> None:
    names = [f"p{number}" for number in range(100)]
    begin = time.monotonic()
    await asyncio.gather(*(cluster.run("exec sleep 600", name=name) for name in names))
    found = [await cluster.phase("Running", name=name) for name in names]
    record_property("seconds_to_start", round(time.monotonic() - begin, 2))
    assert len({pod["status"]["podIP"] for pod in found}) == 100
    begin = time.monotonic()
    await asyncio.gather(*(cluster.client.delete(PODS, name, "default") for name in names))
    for name in names:
        await cluster.gone(name)
    record_property("seconds_to_stop", round(time.monotonic() - begin, 2))
