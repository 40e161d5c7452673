"""A rank is known by its environment, and by its log where there are others on the machine."""

from __future__ import annotations

import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from sidings.verify_resume import ranks


@contextmanager
def sleeping(**environ: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "600"], env=environ)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_one_of_the_ranks_is_killed_and_nobody_else() -> None:
    with (
        sleeping(RANK="3", LOSS_LOG="/run/a") as ours,
        sleeping(RANK="4", LOSS_LOG="/run/b") as others,
        sleeping() as agent,
    ):
        processes = [psutil.Process(one.pid) for one in (agent, others, ours)]
        assert ranks.kill_one(processes, random.Random(1), Path("/run/a")) == "SIGKILL of rank 3"
        assert ours.wait(60) == -signal.SIGKILL
        assert ranks.kill_one(processes, random.Random(1), Path("/run/a")) == ""
        assert (others.poll(), agent.poll()) == (None, None)
        assert ranks.kill_one(processes, random.Random(1)) == "SIGKILL of rank 4"


def test_whoever_knows_the_log_is_found_whatever_started_it() -> None:
    with sleeping(LOSS_LOG="/run/a") as helper, sleeping(LOSS_LOG="/run/b") as others:
        processes = [psutil.Process(one.pid) for one in (helper, others)]
        assert [one.pid for one in ranks.started_with(processes, Path("/run/a"))] == [helper.pid]
        helper.kill()  # what is left of it until it is waited for knows nothing
        psutil.wait_procs(processes[:1], timeout=60)
        assert ranks.started_with(processes, Path("/run/a")) == []
