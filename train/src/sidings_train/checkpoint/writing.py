"""One attempt, from staged copies to a manifest. All ranks together, on a group of their own.

Pieces of every rank -> torch's index -> rank 0 looks whether it sees all of them in full length -> manifest -> what
may go goes. A rank that fails, at any of these, makes all fail alike: nobody is left waiting, without a manifest the
attempt does not count, and every rank takes back what it has written, or a disk that was full once would stay full.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

from sidings_train.checkpoint.dcp_storage import PlaceWriter, failure_in
from sidings_train.checkpoint.layout import MANIFEST, Attempt, attempts
from sidings_train.checkpoint.manifest import File, Manifest
from sidings_train.checkpoint.retention import to_delete
from sidings_train.checkpoint.staging import StagedPlanner
from sidings_train.errors import CheckpointError, StorageError, TrainError
from sidings_train.storage.place import Place
from sidings_train.world import World


@dataclass(frozen=True)
class Retention:
    """How many of the newest steps stay, and which multiples stay for good."""

    keep: int
    keep_every: int | None


@dataclass(frozen=True)
class Staged:
    """What this rank contributes: live ``tensors`` for the plan, their ``copies``, and ``objects`` packed to bytes."""

    tensors: Mapping[str, torch.Tensor]
    copies: Mapping[str, torch.Tensor]
    objects: Mapping[str, bytes]


def write(
    place: Place,
    attempt: Attempt,
    staged: Staged,
    header: Manifest,
    retention: Retention,
    world: World,
    group: dist.ProcessGroup | None,
) -> int:
    """Write ``attempt``; its size in bytes. CheckpointError or StorageError, on all ranks, when any part fails."""
    writer = PlaceWriter(place, attempt)
    try:
        files = _written(place, attempt, staged, header, writer, world, group)
    except TrainError:
        with suppress(StorageError):  # the failure is what is told
            place.delete([attempt.path(name) for name in (MANIFEST, *writer.files)])
        raise
    if world.first:
        _tidy(place, attempt.step, retention)
    return sum(file.size for file in files.values())


def _written(
    place: Place,
    attempt: Attempt,
    staged: Staged,
    header: Manifest,
    writer: PlaceWriter,
    world: World,
    group: dist.ProcessGroup | None,
) -> Mapping[str, File]:
    """The files of all ranks, once the manifest is there."""
    try:
        dcp.save(
            {**staged.tensors, **staged.objects},
            storage_writer=writer,
            planner=StagedPlanner(staged.copies),
            process_group=group,
        )
    except dcp.CheckpointException as error:
        raise failure_in(error, f"step {attempt.step} cannot be written") from error
    files = {name: file for part in world.gather(writer.files, group) for name, file in part.items()}
    with world.together(group):
        if world.first:
            _must_all_be_seen(place, attempt, files, world.size)
            place.put(attempt.path(MANIFEST), replace(header, files=files).to_json())
    return files


def _must_all_be_seen(place: Place, attempt: Attempt, files: Mapping[str, File], ranks: int) -> None:
    """A look before the promise: what a store has lost, or what another node keeps to itself, is not in a manifest."""
    seen = place.list(attempt.path())
    for name, file in files.items():
        size = seen.get(attempt.path(name))
        if size is None:
            raise CheckpointError(
                f"rank 0 does not see {name} of step {attempt.step} in {place.url}",
                cause="another rank has written it: the folder is not the same on all nodes"
                if ranks > 1
                else "it is gone",
                remedy="use a claim that all pods mount (ReadWriteMany), or s3://BUCKET/PREFIX",
            )
        if size != file.size:
            raise CheckpointError(f"{name} of step {attempt.step} has {size} bytes in {place.url}, not {file.size}")


def _tidy(place: Place, written: int, retention: Retention) -> None:
    """Delete what may go now that the step ``written`` is there: what cannot be deleted is worth a line, no failure."""
    try:
        place.delete(to_delete(attempts(place.list("step-")), written, retention.keep, retention.keep_every))
    except StorageError as error:
        print(f"old checkpoints stay: {error}", flush=True)
