"""train.py under real torchrun: a run that is stopped and resumed ends as one that was not."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.conftest import EXAMPLE

pytestmark = [pytest.mark.slow, pytest.mark.e2e]
SMALL = ("--cards", "40", "--batch-size", "256", "--epochs", "2", "--checkpoint-every", "20")


def command(folder: Path, checkpoints: str, processes: int, *extra: str) -> list[str]:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    where = ["--data-dir", str(folder / "data"), "--checkpoint-dir", str(folder / checkpoints)]
    return [*torchrun, str(EXAMPLE / "train.py"), *where, *SMALL, *extra]


def run(folder: Path, checkpoints: str, processes: int, *extra: str) -> str:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command(folder, checkpoints, processes, *extra), env=environment, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def result(output: str) -> dict[str, float]:
    found: dict[str, float] = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    return found


def test_stopped_and_resumed_is_as_never_stopped(tmp_path: Path) -> None:
    whole = result(run(tmp_path, "whole", 2))
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command(tmp_path, "parts", 2), env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("checkpoint"):
                process.send_signal(signal.SIGTERM)
                break
        rest = process.stdout.read()
    assert "stopped by SIGTERM at step" in rest
    resumed = run(tmp_path, "parts", 2)
    assert "resumed from step-" in resumed
    parts = result(resumed)
    assert (parts["auc"], parts["ap"]) == (whole["auc"], whole["ap"])


def test_a_torn_checkpoint_is_skipped(tmp_path: Path) -> None:
    run(tmp_path, "c", 1)
    newest = max((tmp_path / "c").glob("step-*.pt"))
    newest.write_bytes(newest.read_bytes()[:1000])
    again = run(tmp_path, "c", 1)
    assert "resumed from step-" in again
    assert newest.name not in again.split("resumed from ")[1].splitlines()[0]


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    run(tmp_path, "c", 1)
    other = subprocess.run(
        command(tmp_path, "c", 1, "--batch-size", "128"), text=True, capture_output=True, check=False, env=os.environ
    )
    assert other.returncode == 1
    assert "use --no-resume" in other.stderr
    run(tmp_path, "c", 1, "--batch-size", "128", "--no-resume")


def test_alone_without_torchrun(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE / "train.py"), *SMALL], cwd=tmp_path, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1].startswith("AUC 0.")
