"""train_with_library.py under real torchrun: killed and started again, it ends as if nothing had been."""

import argparse
import json
import os
import signal
import subprocess
from pathlib import Path

import prepare
import pytest

import sidings_train
from sidings_train import Checkpoints, Interruption, Progress
from tests.examples import torchrun
from tests.examples.conftest import EXAMPLE
from tests.examples.scripts import script

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


def test_told_to_end_in_its_evaluation_it_does(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    prepare.add_arguments(parser)
    args = parser.parse_args(["--data-dir", str(tmp_path / "data"), "--cards", "40"])
    args = argparse.Namespace(**vars(args), epochs=1, batch_size=256, lr=0.006, compile=False, symmetric=False)
    meta = prepare.prepare(args)
    with sidings_train.start() as world:
        trainer = script("train_with_library").Trainer(args, world, meta)
        with (
            Checkpoints(tmp_path / "c", world, trainer.state) as checkpoints,
            Interruption(world) as interruption,
            Progress(world, trainer.state, total=trainer.steps) as progress,
        ):
            checkpoints.save()
            os.kill(os.getpid(), signal.SIGTERM)
            with pytest.raises(SystemExit) as ended:
                trainer.evaluate(checkpoints, interruption, progress)
    assert ended.value.code == 143
    assert "stopped by SIGTERM at step 0" in capfd.readouterr().out
    assert len(list((tmp_path / "c").glob("step-*/*"))) == 1, "the checkpoint was there already"
