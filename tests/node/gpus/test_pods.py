"""Pods of a node with two GPUs, in real sandboxes: what each of them sees."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidings.api.conditions import find
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS, NODES
from sidings.node.gpus.in_memory import InMemoryGpus, h200, h200_in_mig_mode
from sidings.node.gpus.labels import labels
from sidings.node.gpus.sockets_library import COMPILERS
from sidings.node.gpus.source import Driver, Fault, units
from sidings.node.logical_node import LogicalNode
from tests.node import clusters
from tests.node.clusters import Cluster
from tests.node.pods import container

TWO = units([h200(0), h200(1)])
NODE = LogicalNode("node-1", "8", "32Gi", gpus=2, units=TWO, labels=labels(TWO, Driver()))
SHOW = 'echo "[$CUDA_VISIBLE_DEVICES] [$NVIDIA_VISIBLE_DEVICES] [$NCCL_HOSTID]"'
GANG: Object = {"labels": {"jobset.sigs.k8s.io/jobset-name": "js"}}


ADDRESS = r"b'\\0tmp/nccl-socket-0-abc'"
compiled = pytest.mark.skipif(not any(map(shutil.which, COMPILERS)), reason="there is no C compiler on this machine")


@pytest.fixture
def driver() -> InMemoryGpus:
    return InMemoryGpus([h200(0), h200(1)])


@pytest.fixture
async def cluster(state_dir: Path, driver: InMemoryGpus) -> AsyncIterator[Cluster]:
    async for made in clusters.opened(state_dir, nodes=[NODE], gpus=driver):
        yield made


def asking_for(gpus: int) -> Object:
    return {"resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}


GPU = {"container_fields": asking_for(1)}


def speaking(statement: str) -> str:
    """A shell command: Python with a datagram socket ``s`` of the kind that NCCL passes handles over."""
    code = f"import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); {statement}"
    return f'python3 -c "{code}"'


async def test_a_pod_sees_the_gpu_it_asked_for_and_one_that_asked_for_none_sees_none(cluster: Cluster) -> None:
    await cluster.run(f"{SHOW}; sleep 100", "holder", container_fields=asking_for(1))
    await cluster.phase("Running", name="holder")
    await cluster.said("]", "holder")
    assert await cluster.logs("holder") == f"[{TWO[0].uuid}] [{TWO[0].uuid}] []\n"
    assert await cluster.output(SHOW, name="second", container_fields=asking_for(1)) == (
        f"[{TWO[1].uuid}] [{TWO[1].uuid}] []\n"
    )
    assert await cluster.output(SHOW, name="none") == "[] [void] []\n"


async def test_a_pod_keeps_its_gpu_when_the_engine_restarts(cluster: Cluster) -> None:
    await cluster.run("sleep 100", "first", container_fields=asking_for(1))
    await cluster.phase("Running", name="first")
    await cluster.lose_agent()
    await cluster.restart_agent()
    assert await cluster.output(SHOW, name="second", container_fields=asking_for(1)) == (
        f"[{TWO[1].uuid}] [{TWO[1].uuid}] []\n"
    )


async def test_a_gpu_is_free_again_when_its_pod_has_ended(cluster: Cluster) -> None:
    for name in ("one", "two", "three"):
        said = await cluster.output(SHOW, name=name, container_fields=asking_for(2))
        assert said.startswith(f"[{TWO[0].uuid},{TWO[1].uuid}]")


@compiled
async def test_pods_of_a_gang_get_what_keeps_nvlink(cluster: Cluster) -> None:
    script = (
        'echo "$LD_PRELOAD $SIDINGS_NCCL_SOCKETS $NCCL_HOSTID"; grep -c nccl_sockets /proc/self/maps; ls /run/sidings'
    )
    said = await cluster.output(script, metadata=GANG, container_fields=asking_for(1))
    first, mapped, listed = said.splitlines()
    assert first.startswith("/run/sidings/nccl_sockets.so /dev/shm sidings-")
    assert int(mapped) > 0
    assert listed == "nccl_sockets.so"


@compiled
async def test_the_only_gpu_pod_of_a_job_gets_nothing_for_peers_and_pods_of_a_larger_one_do(cluster: Cluster) -> None:
    show = 'echo "[$LD_PRELOAD] [$NCCL_HOSTID]"; ls /run/sidings 2>/dev/null || true'
    for name, pods in (("alone", 1), ("gang", 2)):
        template = {"spec": {"restartPolicy": "Never", "containers": [container(**asking_for(1))]}}
        jobs = {"parallelism": pods, "completions": pods, "template": template}
        await cluster.create(JOB_SETS, name, spec={"replicatedJobs": [{"name": "node", "template": {"spec": jobs}}]})
    of_alone, of_gang = ({"labels": {"jobset.sigs.k8s.io/jobset-name": name}} for name in ("alone", "gang"))
    assert await cluster.output(show, name="single", metadata=of_alone, **GPU) == "[] []\n"
    said = await cluster.output(show, name="first", metadata=of_gang, **GPU)
    assert said.startswith("[/run/sidings/nccl_sockets.so] [sidings-")
    assert said.endswith("nccl_sockets.so\n")


@compiled
async def test_sockets_of_nccl_reach_from_pod_to_pod_of_a_gang_and_no_further(cluster: Cluster) -> None:
    await cluster.run(speaking(f"s.bind({ADDRESS}); print('bound', flush=True); print(s.recv(9))"), "one", GANG, **GPU)
    await cluster.phase("Running", name="one")
    await cluster.said("bound", "one")
    outsider = await cluster.output(speaking(f"print(s.connect_ex({ADDRESS}) != 0)"), name="outsider", **GPU)
    assert outsider == "True\n"
    assert await cluster.output(speaking(f"s.sendto(b'handle', {ADDRESS})"), name="two", metadata=GANG, **GPU) == ""
    await cluster.phase("Succeeded", name="one")
    assert await cluster.logs("one") == "bound\nb'handle'\n"


async def test_a_faulty_gpu_leaves_the_node(cluster: Cluster, driver: InMemoryGpus) -> None:
    await cluster.output("true", name="first")
    node = await cluster.client.get(NODES, "node-1")
    assert node["status"]["allocatable"]["nvidia.com/gpu"] == "2"
    assert node["metadata"]["labels"]["nvidia.com/gpu.product"] == "NVIDIA-H200"
    driver.fail(Fault(TWO[0].uuid, 79))
    async for event in cluster.client.watch(NODES):
        node = event.object
        if node["status"]["allocatable"]["nvidia.com/gpu"] == "1":
            break
    assert node["status"]["capacity"]["nvidia.com/gpu"] == "2"
    condition = find(node["status"]["conditions"], "sidings.dev/GPUs") or {}
    assert condition["status"] == "False"
    assert f"{TWO[0].uuid}: XID 79" in condition["message"]
    said = await cluster.output(SHOW, container_fields=asking_for(1))
    assert said.startswith(f"[{TWO[1].uuid}]")


async def test_a_pod_gets_the_size_of_mig_device_that_it_asked_for(state_dir: Path) -> None:
    devices = [h200_in_mig_mode(0, "3g.71gb", "1g.18gb"), h200(1)]
    large, small, whole = units(devices)
    node = LogicalNode(
        "node-1", "8", "32Gi", gpus=3, units=(large, small, whole), labels=labels(units(devices), Driver())
    )
    async for cluster in clusters.opened(state_dir, nodes=[node], gpus=InMemoryGpus(devices)):
        for name, unit in (("mig-1g.18gb", small), ("mig-3g.71gb", large), ("gpu", whole)):
            limits = {"resources": {"limits": {f"nvidia.com/{name}": "1"}}}
            said = await cluster.output(SHOW, name=name.replace(".", "-"), container_fields=limits)
            assert said == f"[{unit.uuid}] [{unit.uuid}] []\n"
        found = await cluster.client.get(NODES, "node-1")
        resources = {name: count for name, count in found["status"]["allocatable"].items() if "nvidia" in name}
        assert resources == {"nvidia.com/gpu": "1", "nvidia.com/mig-1g.18gb": "1", "nvidia.com/mig-3g.71gb": "1"}
