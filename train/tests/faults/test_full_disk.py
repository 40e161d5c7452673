"""A disk that really is full: a file system of 3 MB, two ranks, and a checkpoint of 1 MB."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = """
import os, sys, torch, sidings_train
from sidings_train import Checkpoints, TrainState

disk = sys.argv[1]
with sidings_train.start() as world:
    state = TrainState(torch.nn.Linear(512, 512))
    checkpoints = Checkpoints(f"{disk}/run-1", world, state, every=1, keep=1)
    assert not checkpoints.resume()
    state.advance(1)
    checkpoints.save()

    def fill():
        with world.together():
            if world.first:
                with open(f"{disk}/others", "wb") as file:
                    room = os.statvfs(disk)
                    file.write(bytes((room.f_bavail - 64) * room.f_bsize))

    fill()
    state.advance(1)
    checkpoints.after_step()
    state.advance(1)
    try:
        checkpoints.save()
    except sidings_train.StorageError as error:
        with open(f"{disk}/../heard-{world.rank}", "w") as file:  # not stdout, which both ranks write to at this moment
            print(error, file=file)
    world.any(False)  # both have taken back what they wrote
    with world.together():
        if world.first:
            os.remove(f"{disk}/others")
            print("left:", sorted(os.listdir(f"{disk}/run-1")), flush=True)
    checkpoints.save()
    with open(f"{disk}/../saved-{world.rank}", "w") as file:
        print(checkpoints.last.step, file=file)
    fill()
    state.advance(1)
    checkpoints.save()
"""
IN_A_NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]


@pytest.fixture
def small_disk(tmp_path: Path) -> list[str]:
    """A command before others, that see a disk of 3 MB in ``tmp_path``/disk."""
    (tmp_path / "disk").mkdir()
    mount = f'mount -t tmpfs -o size=3m none {tmp_path}/disk && exec "$@"'
    command = [*IN_A_NAMESPACE, "sh", "-c", mount, "sh"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system of their own")
    return command


def test_it_is_said_training_goes_on_and_only_the_last_one_is_an_error(small_disk: list[str], tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [*small_disk, *torchrun, str(script), f"{tmp_path}/disk"], capture_output=True, text=True, timeout=240
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    (periodic,) = (line for line in lines if "training goes on" in line)
    assert "rank 0: cannot write" in periodic
    heard = [(tmp_path / f"heard-{rank}").read_text() for rank in range(2)]
    assert "cannot write" in heard[0]
    assert "rank 0: cannot write" in heard[1]
    assert f"help: make room: df -h {tmp_path}/disk/run-1; or keep fewer checkpoints (keep=1)" in heard[1].splitlines()
    assert "left: ['step-00000001']" in lines
    assert [(tmp_path / f"saved-{rank}").read_text() for rank in range(2)] == ["3\n"] * 2
    assert "No space left on device" in done.stderr
