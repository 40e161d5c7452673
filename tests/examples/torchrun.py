"""Two processes of an example's script, and the end of one of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psutil


def start(script: Path, *arguments: str, environ: Mapping[str, str] = os.environ) -> subprocess.Popen[str]:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    return subprocess.Popen(
        [*torchrun, str(script), *arguments],
        env={**environ, "OMP_NUM_THREADS": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def kill_a_rank(process: subprocess.Popen[str], checkpoints: Path) -> None:
    """As soon as there is one in ``checkpoints``, of sidings-train; torchrun ends the other rank."""
    _wait_for_one(process, checkpoints)
    psutil.Process(process.pid).children()[-1].send_signal(signal.SIGKILL)
    process.communicate()


def stop(process: subprocess.Popen[str], checkpoints: Path) -> str:
    """Tell torchrun to end as soon as there is one in ``checkpoints``; what was printed."""
    _wait_for_one(process, checkpoints)
    process.send_signal(signal.SIGTERM)
    return process.communicate()[0]


def _wait_for_one(process: subprocess.Popen[str], checkpoints: Path) -> None:
    while not list(checkpoints.glob("step-*/*/manifest.json")):
        assert process.poll() is None, process.communicate()[1][-2000:]
        time.sleep(0.01)  # a file tells of itself to nobody: it is looked for
