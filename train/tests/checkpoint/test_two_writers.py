"""An old pod that has not noticed its end still writes where the new one does: neither tears what the other has."""

from __future__ import annotations

import threading

import pytest
import torch

from sidings_train import Checkpoints, StorageError, TrainState, World
from sidings_train.checkpoint.layout import attempts, finished
from sidings_train.storage.memory import Memory


class Slow(Memory):
    """The same files as ``other``, whose writes wait until ``goes_on`` is set."""

    def __init__(self, other: Memory) -> None:
        self.goes_on = threading.Event()
        super().__init__(lambda verb, name: self.goes_on.wait(60) and None if verb == "create" else None)
        self.files = other.files


def state_at(step: int, value: float) -> TrainState:
    model = torch.nn.Linear(2, 2)
    torch.nn.init.constant_(model.weight, value)
    return TrainState(model, step=step)


def steps_in(place: Memory) -> list[int]:
    return [attempt.step for attempt in finished(attempts(place.files))]


def newest(place: Memory, world: World) -> tuple[int, float]:
    state = state_at(0, 0.0)
    assert Checkpoints(place, world, state).resume()
    return state.step, state.model.weight[0, 0].item()


def test_of_the_same_step_the_later_attempt_stays_whoever_ends_last(alone: World) -> None:
    place = Memory()
    slow = Slow(place)
    old = Checkpoints(slow, alone, state_at(200, 1.0), every=200)
    old.after_step()  # hangs in its storage
    new = Checkpoints(place, alone, state_at(200, 2.0))
    new.save()
    assert newest(place, alone) == (200, 2.0)
    slow.goes_on.set()
    with old:
        pass
    assert steps_in(place) == [200]  # of two attempts the one that was begun last stays
    assert newest(place, alone) == (200, 2.0)


def test_what_is_being_written_is_not_tidied_away(alone: World) -> None:
    place = Memory()
    slow = Slow(place)
    old = Checkpoints(slow, alone, state_at(400, 1.0), every=200)
    old.after_step()
    for step in (200, 250, 300):
        Checkpoints(place, alone, state_at(step, 2.0), keep=1).save()
    assert steps_in(place) == [300]
    slow.goes_on.set()
    with old:
        pass
    assert newest(place, alone) == (400, 1.0)


def test_what_cannot_be_deleted_is_a_line_and_costs_no_checkpoint(
    alone: World, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Memory()
    for step in (100, 200):
        Checkpoints(place, alone, state_at(step, 1.0)).save()

    def refuse(verb: str, name: str) -> None:
        if verb == "delete":
            raise StorageError("cannot delete", remedy="ask for the right")

    place.fail = refuse
    Checkpoints(place, alone, state_at(300, 3.0), keep=1).save()
    assert "old checkpoints stay: cannot delete\nhelp: ask for the right" in capsys.readouterr().out
    assert steps_in(place) == [300, 200, 100]
    place.fail = lambda verb, name: None
    Checkpoints(place, alone, state_at(400, 4.0), keep=1).save()
    assert steps_in(place) == [400]


def test_deleting_that_stops_halfway_leaves_an_unfinished_one_that_goes_next_time(alone: World) -> None:
    place = Memory()
    Checkpoints(place, alone, state_at(100, 1.0)).save()
    left = [1]

    def stop(verb: str, name: str) -> None:
        if verb == "delete" and not left:
            raise StorageError("gone")
        if verb == "delete":
            left.pop()

    place.fail = stop
    Checkpoints(place, alone, state_at(200, 2.0), keep=1).save()
    assert steps_in(place) == [200]
    assert any(name.startswith("step-00000100/") for name in place.files)
    place.fail = lambda verb, name: None
    Checkpoints(place, alone, state_at(300, 3.0), keep=1).save()
    assert {attempt.step for attempt in attempts(place.files)} == {300}


def test_a_run_that_went_back_behind_a_torn_one_keeps_what_it_writes(alone: World) -> None:
    place = Memory()
    for step in (100, 400):
        Checkpoints(place, alone, state_at(step, 1.0)).save()
    (piece,) = (name for name in place.files if name.startswith("step-00000400/") and name.endswith(".distcp"))
    place.files[piece] = place.files[piece][:-1]
    assert newest(place, alone) == (100, 1.0)
    Checkpoints(place, alone, state_at(150, 2.0), keep=1).save()
    assert newest(place, alone) == (150, 2.0)
