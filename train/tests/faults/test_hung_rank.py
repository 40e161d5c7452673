"""A rank that hangs for ever, under torchrun: it is named, the run ends with another code than 0, and nobody stays."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

TRAIN = """
import datetime, os, signal, sys, time, torch, sidings_train
from sidings_train import Checkpoints, TrainState

with sidings_train.start(timeout=datetime.timedelta(seconds=12), patience=3) as world:
    model = sidings_train.ddp(torch.nn.Linear(4, 4), world)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    state = TrainState(model, optimizer)
    with Checkpoints(sys.argv[1], world, state, every=1) as checkpoints:
        while True:
            if state.step == 3 and world.rank == 1:
                if sys.argv[2] == "stopped":
                    os.kill(os.getpid(), signal.SIGSTOP)
                while True:
                    time.sleep(3600)
            world.at(state.step)
            optimizer.zero_grad()
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()
            state.advance(2)
            checkpoints.after_step()
"""


@pytest.mark.parametrize(
    ("how", "said"),
    [
        # On a machine so busy that its thread does not get to speak for ten seconds, it is not heard of either.
        ("sleeps", r"is (at step 2 for \d+ s; the others are at step 3|not heard of for)"),
        # torchrun waits 30 s for what does not end by SIGTERM.
        pytest.param("stopped", "is not heard of for", marks=pytest.mark.soak),
    ],
)
def test_it_is_named_and_the_run_ends(how: str, said: str, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    torchrun = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node=2",
        "--shutdown-timeout=2",
    ]
    done = subprocess.run(
        [*torchrun, str(script), str(tmp_path / "run-1"), how],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 1, done.stderr
    note = rf"rank 0: rank 1 \({re.escape(socket.gethostname())}\) {said}"
    assert re.search(note, done.stderr), done.stderr
    assert [process for process in psutil.process_iter() if str(script) in _command(process)] == []


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []  # it has just ended
