"""Going on from a checkpoint that was found whole.

The state's own tensors say what is wanted, so each rank reads its part of each, whatever number of ranks wrote them
and whether they were sharded. The random generators come last. A rank that the checkpoint does not know (the world
has grown) begins with a seed of its own.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.metadata import TensorStorageMetadata
from torch.distributed.checkpoint.planner import ReadItem

from sidings_train import rng
from sidings_train.checkpoint.dcp_storage import PlaceReader, failure_in
from sidings_train.checkpoint.finding import Found
from sidings_train.checkpoint.manifest import kept
from sidings_train.errors import CheckpointError
from sidings_train.state import TrainState, unpacked
from sidings_train.storage.place import Place
from sidings_train.world import World

_SHOWN = 3  # names of tensors in a message


def load(place: Place, found: Found, state: TrainState, world: World) -> None:
    """Load ``found`` into ``state`` and the generators. CheckpointError, on all ranks, if it is of another run.

    StorageError, on all ranks, when a piece cannot be read on one.
    """
    where = f"{place.url}/{found.attempt.path()}"
    _must_be_of_this_run(where, found.manifest.recipe, kept(state.recipe))
    reader = PlaceReader(place, found.attempt)
    tensors, rest = state.tensors_and_rest()
    known: dict[str, Any] = {}
    with world.together():
        known = reader.read_metadata().state_dict_metadata
        _must_be_of_this_model(where, known, tensors)
    own = f"rank.{world.rank}"
    objects = {name: b"" for name in ("rest", own) if name in known}
    planner = _Planner()
    try:
        dcp.load({**tensors, **objects}, storage_reader=reader, planner=planner)
    except dcp.CheckpointException as error:
        raise failure_in(error, f"{where} cannot be loaded") from error
    saved_rest = unpacked(planner.objects["rest"])
    _must_have_these_parts(where, saved_rest, rest)
    state.load(tensors, saved_rest, found.manifest.place)
    if own in planner.objects:
        saved = unpacked(planner.objects[own])
        state.load_buffers(saved["buffers"])
        rng.restore(saved["rng"], world.device)
    else:
        rng.begin(state.step, world.rank)


class _Planner(dcp.DefaultLoadPlanner):
    """Reads tensors into the live ones; ``objects`` are left as the bytes that were saved."""

    def __init__(self) -> None:
        super().__init__(flatten_state_dict=False)
        self.objects: dict[str, bytes] = {}

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        self.objects[read_item.dest_index.fqn] = value.getvalue()


def _must_be_of_this_run(where: str, saved: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for name in sorted({*saved, *now}):
        if saved.get(name) != now.get(name):
            raise CheckpointError(
                f"{where} is of another run: {name} was {saved.get(name)!r} and is {now.get(name)!r}",
                remedy="start with the arguments and data of that run, or give this one a place of its own",
            )


def _must_be_of_this_model(where: str, saved: Mapping[str, Any], now: Mapping[str, torch.Tensor]) -> None:
    sizes = {name: data.size for name, data in saved.items() if isinstance(data, TensorStorageMetadata)}
    differ = [
        f"{name} {tuple(sizes[name]) if name in sizes else 'is not in it'}"
        for name, tensor in now.items()
        if sizes.get(name) != tensor.size()
    ]
    _must_not_differ(where, [*differ, *(f"{name} is in it only" for name in sizes if name not in now)])


def _must_have_these_parts(where: str, saved: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """What is no tensor. An optimizer may have been given more by a scheduler that is gone; a part must not be lost."""
    differ = [f"{name} is not in it" for name in now if name not in saved]
    differ += [f"{name} is in it only" for name in saved if name.startswith("parts.") and name not in now]
    _must_not_differ(where, differ)


def _must_not_differ(where: str, differ: list[str]) -> None:
    if differ:
        more = f" and {len(differ) - _SHOWN} more" if len(differ) > _SHOWN else ""
        raise CheckpointError(
            f"{where} is of another model or optimizer: {', '.join(differ[:_SHOWN])}{more}",
            remedy="build the model, optimizer and parts as in that run, or give this one a place of its own",
        )
