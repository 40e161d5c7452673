"""A copy of what the next step would overwrite, made while training waits: the whole stall of a checkpoint.

The copies lie in buffers on the host that are kept from one checkpoint to the next (pinned, where a GPU copies into
them): to get 400 MB of new memory from the kernel takes longer than to fill it. Of a sharded tensor only this rank's
part is copied.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.distributed.checkpoint import DefaultSavePlanner
from torch.distributed.checkpoint.metadata import MetadataIndex
from torch.distributed.tensor import DTensor


def is_sharded(tensor: torch.Tensor) -> bool:
    """Whether every rank holds a part of its own (FSDP), and not all the same (DDP)."""
    return isinstance(tensor, DTensor)


@dataclass(frozen=True)
class Shape:
    """What a buffer is made from. ``pinned``: a GPU copies into it."""

    size: torch.Size
    dtype: torch.dtype
    pinned: bool


def shapes_of(tensors: Mapping[str, torch.Tensor]) -> dict[str, Shape]:
    """The buffers that ``tensors`` need, of this rank's parts."""
    return {name: _shape(_local(tensor)) for name, tensor in tensors.items()}


class Staging:
    """The buffers, by name. One checkpoint at a time may use them."""

    def __init__(self) -> None:
        self._buffers: dict[str, tuple[Shape, torch.Tensor]] = {}

    def reserve(self, shapes: Mapping[str, Shape]) -> None:
        """Have a buffer for each of ``shapes``, in memory that the kernel has already given."""
        for name, shape in shapes.items():
            if name not in self._buffers or self._buffers[name][0] != shape:
                buffer = torch.empty(shape.size, dtype=shape.dtype, pin_memory=shape.pinned).zero_()
                self._buffers[name] = shape, buffer

    @torch.no_grad()
    def copy(self, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """This rank's part of each of ``tensors``, on the host. Valid until the next call."""
        self.reserve(shapes_of(tensors))
        copies = {name: self._buffers[name][1] for name in tensors}
        for name, tensor in tensors.items():
            copies[name].copy_(_local(tensor), non_blocking=True)
        if any(tensor.device.type == "cuda" for tensor in tensors.values()):
            torch.cuda.synchronize()
        return copies


def _shape(local: torch.Tensor) -> Shape:
    return Shape(local.shape, local.dtype, local.device.type == "cuda")


def _local(tensor: torch.Tensor) -> torch.Tensor:
    local = tensor.to_local() if isinstance(tensor, DTensor) else tensor
    return local.detach()


class StagedPlanner(DefaultSavePlanner):
    """Plans with the live tensors (names, shapes, who holds what: nothing that a step changes), saves the copies."""

    def __init__(self, staged: Mapping[str, torch.Tensor]) -> None:
        super().__init__(flatten_state_dict=False)
        self._staged = staged

    def lookup_object(self, index: MetadataIndex) -> Any:
        staged = self._staged.get(index.fqn)
        return super().lookup_object(index) if staged is None else staged

    def transform_object(self, write_item: Any, object: Any) -> torch.Tensor | io.BytesIO:
        return io.BytesIO(object) if isinstance(object, bytes) else object
