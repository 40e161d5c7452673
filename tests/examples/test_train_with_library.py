"""train_with_library.py under real torchrun: killed and started again, it ends as if nothing had been."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.examples import torchrun
from tests.examples.conftest import EXAMPLE

pytestmark = [pytest.mark.slow, pytest.mark.e2e]
SMALL = ("--cards", "40", "--batch-size", "256", "--epochs", "2", "--checkpoint-every", "20")


def start(folder: Path, checkpoints: str) -> subprocess.Popen[str]:
    where = ["--data-dir", str(folder / "data"), "--checkpoints", str(folder / checkpoints)]
    return torchrun.start(EXAMPLE / "train_with_library.py", *where, *SMALL)


def run(folder: Path, checkpoints: str) -> tuple[str, dict[str, float]]:
    process = start(folder, checkpoints)
    printed, errors = process.communicate()
    assert process.returncode == 0, errors[-2000:]
    return printed, json.loads(next(line for line in printed.splitlines() if line.startswith("{")))


def test_killed_and_started_again_is_as_never_killed(tmp_path: Path) -> None:
    _, whole = run(tmp_path, "whole")
    process = start(tmp_path, "parts")
    torchrun.kill_a_rank(process, tmp_path / "parts")
    assert process.returncode == 1
    printed, parts = run(tmp_path, "parts")
    assert "resumed from" in printed
    assert (parts["auc"], parts["ap"]) == (whole["auc"], whole["ap"])
