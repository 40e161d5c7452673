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
TINY = (*SMALL, "--cards", "10", "--epochs", "1")
"""Where no signal has to reach it before it ends."""
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


def two(folder: Path, checkpoints: str) -> list[str]:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    return [*torchrun, *script(folder, checkpoints), *SMALL]


def alone(folder: Path, checkpoints: str, *extra: str) -> list[str]:
    """A process without torchrun, which takes as long to start as to train so little."""
    return [sys.executable, *script(folder, checkpoints), *TINY, *extra]


def script(folder: Path, checkpoints: str) -> list[str]:
    where = ["--data-dir", str(folder / "data"), "--checkpoint-dir", str(folder / checkpoints)]
    return [str(EXAMPLE / "train.py"), *where]


def run(command: list[str]) -> str:
    done = subprocess.run(command, env=ENVIRONMENT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def result(output: str) -> dict[str, float]:
    found: dict[str, float] = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    return found


def test_stopped_and_resumed_is_as_never_stopped(tmp_path: Path) -> None:
    whole = result(run(two(tmp_path, "whole")))
    with subprocess.Popen(
        two(tmp_path, "parts"), env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("checkpoint"):
                process.send_signal(signal.SIGTERM)
                break
        rest = process.stdout.read()
    assert "stopped by SIGTERM at step" in rest
    resumed = run(two(tmp_path, "parts"))
    assert "resumed from step-" in resumed
    parts = result(resumed)
    assert (parts["auc"], parts["ap"]) == (whole["auc"], whole["ap"])


def test_a_torn_checkpoint_is_skipped(tmp_path: Path) -> None:
    run(alone(tmp_path, "c"))
    newest = max((tmp_path / "c").glob("step-*.pt"))
    newest.write_bytes(newest.read_bytes()[:1000])
    again = run(alone(tmp_path, "c"))
    assert "resumed from step-" in again
    assert newest.name not in again.split("resumed from ")[1].splitlines()[0]


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    run(alone(tmp_path, "c"))
    other = alone(tmp_path, "c", "--batch-size", "128")
    refused = subprocess.run(other, env=ENVIRONMENT, text=True, capture_output=True, check=False)
    assert refused.returncode == 1
    assert "use --no-resume" in refused.stderr
    run([*other, "--no-resume"])


def test_alone_where_it_is_started(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE / "train.py"), *TINY],
        cwd=tmp_path,
        env=ENVIRONMENT,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1].startswith("AUC 0.")
