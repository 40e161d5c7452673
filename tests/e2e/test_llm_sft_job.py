"""examples/llm-sft as a TrainJob on two nodes: sharded, with its checkpoints in the S3 in the box."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.machine import Machine

pytestmark = pytest.mark.e2e

EXAMPLE = Path(__file__).parents[2] / "examples" / "llm-sft"
RANK_0 = "jobset.sigs.k8s.io/jobset-name=llm-sft,batch.kubernetes.io/job-completion-index=0"


def test_it_trains_in_shards_and_leaves_its_checkpoints_in_the_bucket(machine: Machine, tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    buckets = tmp_path / "buckets"
    machine.ok("up", "--s3", "--s3-folder", str(buckets), "--nodes", "2", "--cpu", "8")
    machine.kubectl("apply", "-k", str(EXAMPLE))
    machine.wait_for_condition("Complete", "trainjob/llm-sft", seconds=400)
    log = machine.kubectl("logs", "-l", RANK_0, "--tail=-1")
    assert re.search(r"^125,376 parameters, sharded on 2 cpu$", log, re.MULTILINE)
    evaluated = [float(loss) for loss in re.findall(r"evaluated: loss (\S+)", log)]
    assert len(evaluated) == 5 and evaluated[-1] < evaluated[0]
    last = max((buckets / "data/llm-sft/run-1").glob("step-*/*/manifest.json"))
    pieces = {path.name for path in last.parent.iterdir()}
    assert {"__0_0.distcp", "__1_0.distcp"} <= pieces, "each rank has written its part"
