"""GPUs for pods from images: podman with a CDI specification like the one that NVIDIA's toolkit writes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from sidings.node.container_engine.flags import CDI_KIND
from sidings.node.gpus.in_memory import InMemoryGpus, h200
from sidings.node.gpus.source import units
from sidings.node.logical_node import LogicalNode, NodeConfig
from tests.node import clusters
from tests.node.clusters import Cluster
from tests.node.container_engine.images import IMAGE, imported, missing

GPUS = (h200(0), h200(1))
_FOLDERS = (Path("/etc/cdi"), Path("/run/cdi"))
_FILE = _FOLDERS[1] / "sidings-test.json"


def _specify(*names: str) -> None:
    """A specification of devices that are a variable with their number."""
    devices = [{"name": name, "containerEdits": {"env": [f"CDI={number}"]}} for number, name in enumerate(names)]
    _FILE.write_text(json.dumps({"cdiVersion": "0.3.0", "kind": CDI_KIND, "devices": devices}))


@pytest.fixture
def specification() -> Iterator[None]:
    """Of ``GPUS``; a machine's own is left alone."""
    if why := missing("podman"):
        pytest.skip(why)
    if any(folder.exists() and any(folder.iterdir()) for folder in _FOLDERS):
        pytest.skip("this machine has a CDI specification of its own")
    made = not _FILE.parent.exists()
    _FILE.parent.mkdir(exist_ok=True)
    _specify(*(gpu.uuid for gpu in GPUS))
    try:
        yield
    finally:
        _FILE.unlink()
        if made:
            _FILE.parent.rmdir()


@pytest.fixture
async def cluster(specification: None, state_dir: Path, tmp_path: Path) -> AsyncIterator[Cluster]:
    imported("podman", tmp_path)
    node = LogicalNode("node-1", "8", "32Gi", gpus=2, units=units(GPUS))
    async for made in clusters.opened(state_dir, NodeConfig("podman"), [node], InMemoryGpus(GPUS)):
        made.image = IMAGE
        yield made


async def test_a_pod_has_the_gpu_that_it_was_given_and_others_have_none(cluster: Cluster) -> None:
    show = 'echo "[$CDI] [$CUDA_VISIBLE_DEVICES]"'
    one = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
    await cluster.run(f"{show}; exec sleep 600", name="a", container_fields=one)
    await cluster.phase("Running", name="a")
    await cluster.said(f"[0] [{GPUS[0].uuid}]", name="a")
    assert await cluster.output(show, name="b", container_fields=one) == f"[1] [{GPUS[1].uuid}]\n"
    assert await cluster.output(show, name="c") == "[] []\n"


async def test_a_gpu_that_no_specification_knows(cluster: Cluster, specification: None) -> None:
    _specify("another")
    await cluster.run("true", container_fields={"resources": {"limits": {"nvidia.com/gpu": "1"}}})
    assert GPUS[0].uuid in await cluster.event("Failed")
