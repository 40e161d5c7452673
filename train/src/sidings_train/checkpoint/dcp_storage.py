"""torch.distributed.checkpoint on a place: its storage writer and reader.

Torch's own write files into a directory, or through fsspec, whose S3 has neither a rename nor an fsync that they call.
These keep torch's format (a folder on a disk is read by ``dcp.load`` and ``dcp_to_torch_save`` as it is) and add what a
manifest needs: size and sha256 of every file, taken while it is written.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import pickle
from typing import Any, cast

import torch
from torch.distributed.checkpoint import (
    CheckpointException,
    LoadPlan,
    LoadPlanner,
    Metadata,
    SavePlan,
    SavePlanner,
    StorageReader,
    StorageWriter,
)
from torch.distributed.checkpoint.filesystem import _StorageInfo, _StoragePrefix
from torch.distributed.checkpoint.metadata import MetadataIndex
from torch.distributed.checkpoint.planner import LoadItemType, WriteItem, WriteItemType
from torch.distributed.checkpoint.storage import WriteResult
from torch.futures import Future

from sidings_train.checkpoint.layout import METADATA, Attempt
from sidings_train.checkpoint.manifest import File
from sidings_train.errors import CheckpointError, TrainError
from sidings_train.storage.ahead import Piece, read_ahead
from sidings_train.storage.place import Place, Sink


def failure_in(error: CheckpointException, what: str) -> TrainError:
    """What went wrong on the first rank that failed, for all to raise; ``what`` failed, where its own error is torch's.

    Torch has told every rank the errors of all, so this is the same on each.
    """
    rank, (cause, _) = min(error.failures.items(), key=lambda failure: failure[0])
    if isinstance(cause, TrainError):
        return cause.of_rank(rank)
    return CheckpointError(f"rank {rank}: {what}", cause=f"{type(cause).__name__}: {cause}")


class PlaceWriter(StorageWriter):
    """Writes one attempt: one file a rank. ``files`` holds what this rank has written, once it has."""

    def __init__(self, place: Place, attempt: Attempt) -> None:
        self._place, self._attempt = place, attempt
        self.files: dict[str, File] = {}

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        self.files = {}

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        pass

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        return plan

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        named = (_StoragePrefix(f"__{rank}_") for rank in range(len(plans)))
        return [dataclasses.replace(plan, storage_data=name) for plan, name in zip(plans, named, strict=True)]

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        done: Future[list[WriteResult]] = Future()
        done.set_result(self._write(plan, planner) if plan.items else [])
        return done

    def _write(self, plan: SavePlan, planner: SavePlanner) -> list[WriteResult]:
        name = f"{plan.storage_data.prefix}0.distcp"
        with self._place.create(self._attempt.path(name)) as sink:
            counted = _Counted(sink)
            results = [_write_item(item, planner, counted, name) for item in plan.items]
        self.files[name] = counted.file()
        return results

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        metadata.storage_data = {result.index: result.storage_data for rank in results for result in rank}
        data = pickle.dumps(metadata)
        self._place.put(self._attempt.path(METADATA), data)
        self.files[METADATA] = File(len(data), hashlib.sha256(data).hexdigest())

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        return False  # a place is handed in, not made from a checkpoint_id


class _Counted:
    """A sink that knows its length and checksum. torch.save wants ``write`` and ``flush``."""

    def __init__(self, sink: Sink) -> None:
        self._sink, self._hash, self.length = sink, hashlib.sha256(), 0

    def write(self, data: bytes | memoryview) -> int:
        self._sink.write(data)
        self._hash.update(data)
        self.length += len(data)
        return len(data)

    def flush(self) -> None:
        pass

    def file(self) -> File:
        return File(self.length, self._hash.hexdigest())


def _write_item(item: WriteItem, planner: SavePlanner, sink: _Counted, name: str) -> WriteResult:
    offset = sink.length
    data = planner.resolve_data(item)
    if item.type == WriteItemType.BYTE_IO:
        sink.write(cast(io.BytesIO, data).getbuffer())
    else:
        tensor = cast(torch.Tensor, data).detach().cpu()
        if tensor.untyped_storage().size() != tensor.nbytes:
            tensor = tensor.clone()  # a view would be saved with all that it is a view of
        torch.save(tensor, cast(Any, sink))
    length = sink.length - offset
    return WriteResult(item.index, length, _StorageInfo(name, offset, length))


class PlaceReader(StorageReader):
    """Reads one attempt."""

    def __init__(self, place: Place, attempt: Attempt) -> None:
        self._place, self._attempt = place, attempt
        self._where: dict[MetadataIndex, _StorageInfo] = {}

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        self._where = {}

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        return cast(Metadata, pickle.loads(self._place.get(self._attempt.path(METADATA))))

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        self._where = cast("dict[MetadataIndex, _StorageInfo]", metadata.storage_data)

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        where = (self._where[item.storage_index] for item in plan.items)
        pieces = (Piece(self._attempt.path(info.relative_path), info.offset, info.length) for info in where)
        for item, saved in zip(plan.items, read_ahead(self._place, pieces), strict=True):
            data = io.BytesIO(saved)
            if item.type == LoadItemType.BYTE_IO:
                planner.load_bytes(item, data)
                continue
            piece = torch.load(data, map_location="cpu", weights_only=True)
            for dimension, (start, length) in enumerate(zip(item.storage_offsets, item.lengths, strict=True)):
                piece = piece.narrow(dimension, start, length)
            target = planner.resolve_tensor(item).detach()
            target.copy_(piece)
            planner.commit_tensor(item, target)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        return False
