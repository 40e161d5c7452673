"""The fraud pipeline with its data and checkpoints in the S3 in the box, on the training library, interrupted once."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, edited, wait_for

pytestmark = pytest.mark.e2e

REPOSITORY = Path(__file__).parents[2]
NAMESPACE, NAME = "fraud", "fraud-detection"
SMALL = ["--cards=40", "--epochs=4", "--batch-size=256", "--checkpoint-every=10"]
RANKS = f"jobset.sigs.k8s.io/jobset-name={NAME},jobset.sigs.k8s.io/replicatedjob-name=training"
RANK_0 = f"{RANKS},batch.kubernetes.io/job-completion-index=0"


def example(folder: Path) -> Path:
    """The overlay as it stands, but smaller."""
    for name in ("fraud-detection", "fraud-detection-s3"):
        shutil.copytree(REPOSITORY / "examples" / name, folder / name)
    overlay = folder / "fraud-detection-s3" / "kustomization.yaml"
    text = edited(overlay.read_text(), "fraud/prepared]", f"fraud/prepared, {SMALL[0]}]")
    arguments = "".join(f"\n          - {argument}" for argument in SMALL)
    text = edited(
        text, "--checkpoints=s3://data/fraud/checkpoints", f"--checkpoints=s3://data/fraud/checkpoints{arguments}"
    )
    overlay.write_text(text)
    return overlay.parent


def test_a_killed_rank_goes_on_from_the_bucket(machine: Machine, tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    bucket = tmp_path / "buckets" / "data"
    machine.ok(
        "up", "--s3", "--s3-folder", str(bucket.parent), "--nodes", "2", "--gpus-per-node", "1", "--simulate-gpus"
    )
    machine.kubectl("apply", "-k", str(example(tmp_path / "example")))

    def written() -> list[Path]:
        return list(bucket.glob("fraud/checkpoints/step-*/*/manifest.json"))

    def has_ended() -> bool:
        return bool((machine.object("jobset", NAME, NAMESPACE).get("status") or {}).get("terminalState"))

    def ranks() -> list[str]:
        return machine.kubectl("get", "pods", "-n", NAMESPACE, "-l", RANKS, "-o", "name").split()

    wait_for(lambda: len(ranks()) == 2)
    second = ranks()[1]
    wait_for(lambda: bool(written()) or has_ended(), 300)
    assert not has_ended()
    machine.kubectl("delete", "-n", NAMESPACE, "--force", "--grace-period=0", second)
    machine.wait_for_condition("Completed", f"jobset/{NAME}", "-n", NAMESPACE, seconds=400)
    assert machine.object("jobset", NAME, NAMESPACE)["status"]["restarts"] == 1

    prepared = machine.kubectl("logs", "-n", NAMESPACE, f"job/{NAME}-data-prep-0")
    assert prepared.startswith("data taken from s3://data/fraud/prepared"), "the restart has it from the first attempt"
    log = machine.kubectl("logs", "-n", NAMESPACE, "-l", RANK_0, "--tail=-1")
    assert "data taken from s3://data/fraud/prepared" in log
    assert re.search(r"^resumed from s3://data/fraud/checkpoints/step-\d+/", log, re.MULTILINE)
    result = json.loads(next(line for line in log.splitlines() if line.startswith("{")))
    assert result["auc"] > 0.9
    assert 0 < len(written()) <= 2, "older ones are deleted"
