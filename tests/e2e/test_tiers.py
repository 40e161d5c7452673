"""The stack on machines that allow less: validation jobs, a pipeline and the fraud example as users write them.

Nested: in podman's default confinement. Host: under the rules of Docker's, with a C compiler (T2) and without (T3).
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import cages
from tests.e2e.cages import Cage
from tests.e2e.machine import POC, Machine, edited, manifest, pod
from tests.e2e.test_all_reduce import sums

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

EXAMPLE = Path(__file__).parents[2] / "examples" / "fraud-detection"
SMALL = {
    "--data-dir=/work/data]": "--data-dir=/work/data, --cards=30]",
    "- --checkpoint-dir=": "- --cards=30\n                    - --epochs=1\n                    - --checkpoint-dir=",
}
"""About 55,000 rows, once."""
PIPELINE = "fraud-detection-full"
TRAINJOB, JOBSET = "pytorch-trainer-validation", "pytorch-jobset-validation"


@dataclass(frozen=True)
class Place:
    machine: Machine
    tier: str


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((cages.podman_default, "NestedNamespaces"), id="nested"),
        pytest.param((cages.docker_default, "HostWithLibrary"), id="host"),
        pytest.param((cages.docker_default_without_compiler, "HostEnvironment"), id="host-without-compiler"),
    ],
)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    cage: Cage
    cage, tier = request.param
    with cage(tmp_path_factory.mktemp("cage")) as machine:
        try:
            up = machine.sidings("up", "--nodes", "4", "--cpu", "8", "--gpus-per-node", "4", "--simulate-gpus")
            assert up.returncode == 0 and "what gives more: sidings doctor" in up.stderr, up.stderr
            yield Place(machine, tier)
        finally:
            machine.ok("down", "--force")
        assert machine.leftovers() == []


def test_the_node_says_what_it_has_and_what_was_refused(place: Place) -> None:
    node = place.machine.object("node", "node-1")
    condition = next(found for found in node["status"]["conditions"] if found["type"] == "sidings.dev/Sandbox")
    assert condition["reason"] == place.tier
    assert "Operation not permitted" in condition["message"]
    doctor = place.machine.sidings("doctor")
    assert doctor.returncode == 0 and "Operation not permitted" in doctor.stdout
    assert re.search(r"^sandbox +warning", doctor.stdout, re.MULTILINE)


def test_validation_jobs_at_once(place: Place) -> None:
    """Manifests 01 and 02 side by side: two rendezvous at port 29500."""
    machine = place.machine
    for name in ("trainjob", "jobset"):
        machine.apply(manifest(name))
    machine.wait_for_condition("Complete", f"trainjob/{TRAINJOB}", "-n", POC, seconds=300)
    machine.wait_for_condition("Completed", f"jobset/{JOBSET}", "-n", POC, seconds=300)
    for name in (TRAINJOB, JOBSET):
        assert sums(machine, name) == [(0, 2, 1.0), (1, 2, 1.0)]


def test_three_scales(place: Place) -> None:
    """Manifest 03."""
    place.machine.apply(manifest("scaling"))
    names = [f"fraud-detection-{world}gpu" for world in (1, 2, 4)]
    place.machine.wait_for_condition("Complete", *(f"trainjob/{name}" for name in names), "-n", POC, seconds=300)
    for name, world in zip(names, (1, 2, 4), strict=True):
        assert sums(place.machine, name) == [(rank, world, world * (world - 1) / 2) for rank in range(world)]


def test_a_pipeline_in_order(place: Place) -> None:
    """Manifest 04."""
    text = manifest("pipeline")
    if place.tier == "HostEnvironment":
        # Nothing answers for names there: what a pod is told of one is its address already.
        text = edited(text, 'getent hosts "$COORDINATOR" || exit 3', 'test "${COORDINATOR#127.244.}" != "$COORDINATOR"')
    place.machine.apply(text)
    place.machine.wait_for_condition("Completed", f"jobset/{PIPELINE}", "-n", POC)
    pods = place.machine.objects("pods", "-l", f"jobset.sigs.k8s.io/jobset-name={PIPELINE}")
    assert sorted(found["status"]["phase"] for found in pods) == ["Succeeded"] * 3
    log = place.machine.kubectl("logs", "-n", POC, "-l", "jobset.sigs.k8s.io/replicatedjob-name=training", "--tail=-1")
    if place.tier != "HostEnvironment":
        assert len(re.findall(rf"^10\.244\.\d+\.\d+ +{PIPELINE}-training-0-0", log, re.MULTILINE)) == 2


def trained(place: Place, folder: Path, seconds: int) -> dict[str, Any]:
    """What the example in ``folder`` says at its end."""
    machine = place.machine
    machine.kubectl("apply", "-k", str(folder))
    machine.wait_for_condition("Completed", "jobset/fraud-detection", "-n", "fraud", seconds=seconds)
    selector = "jobset.sigs.k8s.io/replicatedjob-name=training"
    log = machine.kubectl("logs", "-n", "fraud", "-l", selector, "--tail=-1")
    machine.kubectl("delete", "namespace", "fraud")
    [result] = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    return dict(result)


def test_the_fraud_example(place: Place) -> None:
    """On little data, in which there is nothing to learn: it runs to its end."""
    folder = place.machine.folder / "fraud-detection"
    shutil.copytree(EXAMPLE, folder)
    text = (folder / "pipeline.yaml").read_text()
    for old, new in SMALL.items():
        text = edited(text, old, new)
    (folder / "pipeline.yaml").write_text(text)
    assert 0 < trained(place, folder, 300)["auc"] <= 1


@pytest.mark.soak
@pytest.mark.timeout(2400)
def test_the_whole_fraud_example(place: Place) -> None:
    """As it is; `pytest -m soak -s` shows the figures for docs/performance.md."""
    began = time.monotonic()
    result = trained(place, EXAMPLE, 1800)
    print(f"{place.tier}: {time.monotonic() - began:.0f} s, {result}")
    assert result["auc"] >= 0.999 and result["ap"] >= 0.95


def test_ways_into_a_pod(place: Place) -> None:
    """exec, probes, and the end of everything that a pod has started."""
    machine = place.machine
    server = "import http.server; http.server.test(http.server.SimpleHTTPRequestHandler, port=8080)"
    probe = {"httpGet": {"path": "/", "port": 8080}, "periodSeconds": 1}
    command = f"mkdir -p /data; setsid sleep 987654 & (sleep 987655 &); cd /tmp; exec python3 -c '{server}'"
    machine.apply(pod("served", command, container={"readinessProbe": probe}))
    machine.kubectl("wait", "--for=condition=Ready", "pod/served", "--timeout=180s")
    asked = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:8080/').status)"
    if place.tier != "HostEnvironment":
        assert machine.kubectl("exec", "served", "--", "python3", "-c", asked) == "200\n"
    assert machine.try_kubectl("exec", "served", "--", "sh", "-c", "exit 7").returncode == 7
    machine.kubectl("delete", "pod", "served", "--grace-period=1")
    assert [path for path in Path("/proc").glob("[0-9]*/cmdline") if b"sleep\x0098765" in _content(path)] == []


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # it has just ended
