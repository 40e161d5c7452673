"""SIGTERM to one rank: both save the same step, once, and end; a second one ends at once."""

from __future__ import annotations

import multiprocessing.connection
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import torch
from two_ranks import Pair

import sidings_train
from sidings_train import Checkpoints, Interruption, TrainState


def told_at_a_step(place: str, rank_told: int, pause: float) -> tuple[int, int]:
    """(exit code, step at which this rank stopped), rank ``rank_told`` having been told at its step 3."""
    with sidings_train.start() as world:
        state = TrainState(torch.nn.Linear(2, 2))
        code = 0
        with Checkpoints(place, world, state) as checkpoints, Interruption(world) as interruption:
            try:
                while state.step < 100_000:
                    state.advance(1)
                    time.sleep(pause * world.rank)  # one rank is slower
                    if state.step == 3 and world.rank == rank_told:
                        os.kill(os.getpid(), signal.SIGTERM)
                    interruption.check(checkpoints)
            except SystemExit as end:
                code = int(str(end.code))
        again = TrainState(torch.nn.Linear(2, 2))
        assert Checkpoints(place, world, again).resume()
        assert again.step == state.step
        return code, state.step


def test_all_ranks_save_the_same_step_whichever_was_told(pair: Pair, tmp_path: Path) -> None:
    for rank in (0, 1):
        place = tmp_path / str(rank)
        first, second = pair.run(told_at_a_step, str(place), rank, 0.001)
        assert first.result == second.result
        code, step = first.result
        assert (code, 3 <= step < 100_000) == (143, True)
        assert f"stopped by SIGTERM at step {step}, saved in" in first.printed
        assert [path.name for path in place.iterdir()] == [f"step-{step:08d}"]


def told_while_evaluating() -> tuple[int, int]:
    """(exit code, batches scored), the signal coming in the second of many."""
    with sidings_train.start() as world, Interruption(world) as interruption:
        scored = 0
        try:
            for _ in range(1_000_000):
                scored += 1
                if scored == 2 and world.first:
                    os.kill(os.getpid(), signal.SIGTERM)
                interruption.check()
        except SystemExit as end:
            return int(str(end.code)), scored
        return 0, scored


def test_evaluation_ends_too(pair: Pair) -> None:
    first, second = (outcome.result for outcome in pair.run(told_while_evaluating))
    assert first == second
    assert first[0] == 143


def handler_of_before() -> bool:
    before = signal.getsignal(signal.SIGTERM)
    with sidings_train.start() as world, Interruption(world):
        inside = signal.getsignal(signal.SIGTERM)
    return inside != before and signal.getsignal(signal.SIGTERM) == before


def test_outside_of_the_block_nothing_is_caught(pair: Pair) -> None:
    (only,) = pair.run(handler_of_before, ranks=1)
    assert only.result


def test_a_second_one_ends_at_once() -> None:
    script = (
        "import os, signal, sidings_train\n"
        "with sidings_train.start() as world, sidings_train.Interruption(world):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    print('noted', flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    print('survived', flush=True)\n"
    )
    environ = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environ, timeout=240)
    assert (done.returncode, done.stdout) == (-signal.SIGTERM, "noted\n")


LOADING = """
import itertools, sys, torch, sidings_train
from sidings_train import Checkpoints, Interruption, TrainState

class Endless(torch.utils.data.IterableDataset):
    def __iter__(self):
        return itertools.repeat(1.0)

with sidings_train.start() as world:
    state = TrainState(torch.nn.Linear(2, 2))
    with Checkpoints(sys.argv[1], world, state) as checkpoints, Interruption(world) as interruption:
        for batch in torch.utils.data.DataLoader(Endless(), batch_size=4, num_workers=2):
            state.advance(4)
            if state.step == 3:
                print("loads", flush=True)
            interruption.check(checkpoints)
"""


def test_workers_of_a_loader_do_not_hear_what_is_for_their_rank(tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
    process = subprocess.Popen(
        [sys.executable, "-c", LOADING, str(tmp_path)],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "loads\n"
    os.killpg(process.pid, signal.SIGTERM)  # as torchrun does
    printed, errors = process.communicate(timeout=240)
    assert process.returncode == 143, errors
    assert printed.startswith("stopped by SIGTERM at step ")


def tells_its_group(to: multiprocessing.connection.Connection) -> None:
    to.send(os.getpgrp())
    signal.pause()


def forked_children() -> list[tuple[bool, int | None]]:
    """Of a child of the block and one of none: whether its group is its parent's, and what its SIGTERM ends it with."""
    context = multiprocessing.get_context("fork")
    found = []
    with sidings_train.start() as world:
        for block in (Interruption(world), nullcontext()):
            with block:
                here, there = context.Pipe()
                child = context.Process(target=tells_its_group, args=[there])
                child.start()
                group = here.recv()
                child.terminate()
                child.join()
            found.append((group == os.getpgrp(), child.exitcode))
    return found


def test_what_is_forked_inside_of_the_block_is_its_parents_to_end(pair: Pair) -> None:
    (only,) = pair.run(forked_children, ranks=1)
    assert only.result == [(False, -signal.SIGTERM), (True, -signal.SIGTERM)]
