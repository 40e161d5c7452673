"""train_with_library.py under real torchrun: killed and started again, it ends as if nothing had been."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.examples.conftest import EXAMPLE

pytestmark = [pytest.mark.slow, pytest.mark.e2e]
SMALL = ("--cards", "40", "--batch-size", "256", "--epochs", "2", "--checkpoint-every", "20")


def start(folder: Path, checkpoints: str, processes: int, *extra: str) -> subprocess.Popen[str]:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    where = ["--data-dir", str(folder / "data"), "--checkpoints", str(folder / checkpoints)]
    return subprocess.Popen(
        [*torchrun, str(EXAMPLE / "train_with_library.py"), *where, *SMALL, *extra],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(folder: Path, checkpoints: str, processes: int) -> tuple[str, dict[str, float]]:
    process = start(folder, checkpoints, processes)
    printed, errors = process.communicate()
    assert process.returncode == 0, errors[-2000:]
    return printed, json.loads(next(line for line in printed.splitlines() if line.startswith("{")))


def test_killed_and_started_again_is_as_never_killed(tmp_path: Path) -> None:
    _, whole = run(tmp_path, "whole", 2)
    process = start(tmp_path, "parts", 2)
    while not list(tmp_path.glob("parts/step-*/*/manifest.json")):
        assert process.poll() is None, process.communicate()[1][-2000:]
        time.sleep(0.01)
    psutil.Process(process.pid).children()[-1].send_signal(signal.SIGKILL)  # one rank; torchrun ends the other
    process.communicate()
    assert process.returncode == 1
    printed, parts = run(tmp_path, "parts", 2)
    assert "resumed from" in printed
    assert (parts["auc"], parts["ap"]) == (whole["auc"], whole["ap"])
