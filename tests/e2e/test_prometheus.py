"""A real Prometheus scrapes an engine and answers what the articles ask: average and peak GPU utilization of a run.

The engine is a whole one, with pods in sandboxes; only its two GPUs exist in memory.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import shutil
import socket
import subprocess
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from sidings.api.resources import JOBS
from sidings.clock import SystemClock
from sidings.host.engine import Engine
from sidings.host.home import Home
from sidings.host.options import EngineOptions
from sidings.node.gpus.in_memory import InMemoryGpus, h200
from sidings.node.gpus.source import Reading

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not shutil.which("prometheus"), reason="no prometheus here (apt-get install prometheus)"),
]
PATIENCE_SECONDS = 180.0
RUN = 'DCGM_FI_DEV_GPU_UTIL{exported_namespace="default", exported_job="run"}'
AVERAGE, PEAK = f"avg(avg_over_time({RUN}[10m]))", f"max(max_over_time({RUN}[10m]))"
CONFIG = """\
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: sidings
    scheme: https
    authorization: {{credentials_file: {token}}}
    tls_config: {{ca_file: {authority}}}
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


class Prometheus:
    """A server that scrapes one target; ``value`` evaluates PromQL to one number."""

    def __init__(self, folder: Path, config: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self._url = f"http://{address}/api/v1/query?"
        (folder / "prometheus.yml").write_text(config)
        self._log = (folder / "prometheus.log").open("wb")
        self._process = subprocess.Popen(
            [
                "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address={address}",
            ],
            stdout=self._log,
            stderr=self._log,
        )  # fmt: skip

    def value(self, query: str) -> float | None:
        try:
            with urllib.request.urlopen(self._url + urllib.parse.urlencode({"query": query}), timeout=10) as answer:
                result = json.load(answer)["data"]["result"]
        except OSError:  # it does not serve yet
            return None
        return float(result[0]["value"][1]) if result else None

    async def until(self, query: str, met: Callable[[float], bool]) -> float:
        """The value of ``query`` once ``met`` holds for it."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                value = await asyncio.to_thread(self.value, query)
                if value is not None and met(value):
                    return value
                await asyncio.sleep(0.1)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._log.close()


@pytest.fixture
def driver() -> InMemoryGpus:
    return InMemoryGpus([h200(0), h200(1)])


@pytest.fixture
async def engine(tmp_path: Path, driver: InMemoryGpus) -> AsyncIterator[Engine]:
    """Two nodes with a GPU each."""
    options = EngineOptions(nodes=2, cpu="4", memory="8Gi", scrape_token_file=str(tmp_path / "token"))
    ready, stop = asyncio.Event(), asyncio.Event()
    home = Home(tmp_path / "home")
    home.path.mkdir()
    thresholds = gc.get_threshold()
    async with Engine.open(home, options, SystemClock(), random.Random(1), driver) as made:
        running = asyncio.create_task(made.run(lambda step: None, lambda record: ready.set(), stop))
        await asyncio.wait_for(ready.wait(), PATIENCE_SECONDS)
        yield made
        await made.plane.client.delete(JOBS, "run", "default", propagation_policy="Background")
        stop.set()
        await running
    # An engine has its process to itself and tunes the collector for that.
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@pytest.fixture
def prometheus(tmp_path: Path, engine: Engine) -> Iterator[Prometheus]:
    record = engine.home.record()
    assert record is not None
    authority = engine.home.pki / "ca.crt"
    server = Prometheus(tmp_path, CONFIG.format(token=tmp_path / "token", authority=authority, port=record.port))
    yield server
    server.close()


async def test_it_answers_average_and_peak_gpu_utilization_of_a_run(
    engine: Engine, driver: InMemoryGpus, prometheus: Prometheus
) -> None:
    first, second = (device.uuid for device in driver.devices())
    driver.show(Reading(first, utilization_percent=80), Reading(second, utilization_percent=40))
    limits = {"nvidia.com/gpu": "1"}
    container = {"name": "c", "image": "i", "command": ["sleep", "1000"], "resources": {"limits": limits}}
    pod = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [container]}
    job = {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "run"},
        "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "template": {"spec": pod}},
    }  # fmt: skip
    await engine.plane.client.create(JOBS, job, namespace="default")
    assert await prometheus.until(f"count({RUN})", lambda gpus: gpus == 2) == 2
    assert await prometheus.until(PEAK, bool) == 80
    assert await prometheus.until(AVERAGE, bool) == pytest.approx(60)
    driver.show(Reading(first, utilization_percent=100), Reading(second, utilization_percent=60))
    assert await prometheus.until(PEAK, lambda peak: peak > 80) == 100
    assert 60 < await prometheus.until(AVERAGE, lambda average: average > 60) < 80
    busy = f'max by (exported_pod) ({RUN[:-1]}, rank="0"}})'
    assert await prometheus.until(busy, bool) in (60, 100)
    memory = 'sum(container_memory_rss{namespace="default", exported_job="run"})'
    assert await prometheus.until(memory, bool) > 0
