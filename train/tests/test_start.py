from __future__ import annotations

import datetime
import os
import re
import socket
import sys
import threading
import time
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from two_ranks import Pair

import sidings_train
from sidings_train import roll_call
from sidings_train.errors import MissingRankError, StorageError
from sidings_train.seat import Seat
from sidings_train.start import flight_recorder

SHORT = datetime.timedelta(seconds=0.3)


def agreements() -> dict[str, object]:
    with sidings_train.start() as world:
        total = torch.tensor([float(world.rank)])
        dist.all_reduce(total)
        return {
            "who": (world.rank, world.size, world.local_rank, world.device.type, world.backend),
            "sum": total.item(),
            "any": (world.any(world.rank == 1), world.any(False)),
            "gather": world.gather(f"r{world.rank}"),
            "first": world.from_first(world.rank),
        }


def test_two_ranks(pair: Pair) -> None:
    first, second = (outcome.result for outcome in pair.run(agreements))
    assert first.pop("who") == (0, 2, 0, "cpu", "gloo")
    assert second.pop("who") == (1, 2, 1, "cpu", "gloo")
    assert first == second == {"sum": 1.0, "any": (True, False), "gather": ["r0", "r1"], "first": 0}


def test_alone_is_a_world_too(pair: Pair) -> None:
    (only,) = pair.run(agreements, ranks=1)
    assert only.result == {
        "who": (0, 1, 0, "cpu", "gloo"), "sum": 0.0, "any": (False, False), "gather": ["r0"], "first": 0,
    }  # fmt: skip


def test_what_has_to_end_before_the_group_does() -> None:
    done: list[str] = []
    with sidings_train.start() as world:
        world.before_the_end(lambda: done.append(f"second, group there: {dist.is_initialized()}"))
        world.before_the_end(lambda: done.append("first"))
    with pytest.raises(SystemExit), sidings_train.start() as world:
        world.before_the_end(lambda: done.append("on an exit too"))
        sys.exit(143)
    dist.destroy_process_group()
    assert done == ["first", "second, group there: True", "on an exit too"]


def is_deterministic() -> tuple[bool, str | None]:
    try:
        with sidings_train.start(deterministic=True):
            return torch.are_deterministic_algorithms_enabled(), os.environ.get("CUBLAS_WORKSPACE_CONFIG")
    finally:
        torch.use_deterministic_algorithms(False)  # the process serves other tests


def test_same_bits_each_time(pair: Pair) -> None:
    (only,) = pair.run(is_deterministic, ranks=1)
    assert only.result == (True, ":4096:8")


def one_fails() -> None:
    with sidings_train.start() as world, world.together():
        if world.rank == 1:
            raise StorageError("the disk is full", cause="ENOSPC", remedy="df -h")


def test_one_that_fails_takes_all_along_and_is_named(pair: Pair) -> None:
    first, second = pair.run(one_fails)
    assert isinstance(first.error, StorageError)
    assert (first.error.what, first.error.remedy) == ("rank 1: the disk is full", "df -h")
    assert str(second.error) == "the disk is full\n  cause: ENOSPC\nhelp: df -h"


def fails_with_a_foreign_error() -> None:
    with sidings_train.start() as world, world.together():
        if world.rank == 0:
            raise ZeroDivisionError("by zero")


def test_a_foreign_error_reaches_the_others_by_name(pair: Pair) -> None:
    first, second = pair.run(fails_with_a_foreign_error)
    assert isinstance(first.error, ZeroDivisionError)
    assert str(second.error) == "rank 0: ZeroDivisionError: by zero"


def test_who_did_not_come_is_named() -> None:
    store = dist.HashStore()
    store.set("sidings/here/2", "pod-2")
    with pytest.raises(
        MissingRankError, match=r"ranks 1, 3 of 4 did not come within 0.3 s\n.*0 \(pod-0\), 2 \(pod-2\)"
    ):
        roll_call.wait_for_all(store, 0, 4, "pod-0", SHORT)


def test_who_comes_late_is_waited_for() -> None:
    store = dist.HashStore()
    late = threading.Timer(0.05, store.set, ("sidings/here/1", "pod-1"))
    late.start()
    assert roll_call.wait_for_all(store, 0, 2, "pod-0", datetime.timedelta(seconds=60)) == ["pod-0", "pod-1"]
    late.join()


def test_a_rank_0_that_is_not_there_is_named() -> None:
    with pytest.raises(MissingRankError, match=r"rank 0 did not come: nobody answers on 127\.0\.0\.1:9"):
        roll_call.open_store(Seat(1, 2, 0, ("127.0.0.1", 9)), SHORT)


def test_an_exception_is_left_for_torchruns_report(pair: Pair, tmp_path: Path) -> None:
    file = tmp_path / "error.json"
    pair.run(fails_with_a_foreign_error, ranks=1, TORCHELASTIC_ERROR_FILE=str(file))
    assert "ZeroDivisionError: by zero" in file.read_text()


def test_the_flight_recorder_is_on_under_the_name_this_torch_reads() -> None:
    assert flight_recorder("2.11.0+cpu")["TORCH_FR_BUFFER_SIZE"] == "2000"
    assert flight_recorder("2.8.0")["TORCH_NCCL_TRACE_BUFFER_SIZE"] == "2000"


def one_waits_in_its_data(folder: str) -> str:
    """Rank 0 waits in a collective until it has said who is behind; only then does rank 1 come."""
    seen = Path(folder) / "seen"
    with sidings_train.start(patience=0.1) as world:
        if world.rank == 1:
            while not seen.exists():
                time.sleep(0.01)
        else:
            world.at(2)
        waiting = dist.all_reduce(torch.ones(1), async_op=True)
        while world.rank == 0 and "rank 1 (" not in sys.stderr.getvalue():
            time.sleep(0.01)
        seen.touch()
        waiting.wait()
        return sys.stderr.getvalue()


def test_who_is_behind_is_said_while_the_others_wait(pair: Pair, tmp_path: Path) -> None:
    first, _ = pair.run(one_waits_in_its_data, str(tmp_path))
    # On a machine so busy that rank 1's thread does not get to speak for ten seconds, that is what is said of it.
    said = rf"rank 0 has waited for 0 s: rank 1 \({socket.gethostname()}\) is (at step 0 for|not heard of)"
    assert re.search(said, first.result)
