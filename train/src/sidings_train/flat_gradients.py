"""All gradients in one buffer, exchanged by one all-reduce that the caller places.

DDP does its exchange from hooks inside backward, which a CUDA graph of the whole step cannot hold. With every
``.grad`` a view of one flat buffer, the exchange is one call after backward, and graphs capture it; for a small model
it is also faster than buckets, whose time is latency. ``zero`` instead of ``optimizer.zero_grad``, which would let
the views go: gradients that are no longer there would stay each rank's own, and the ranks' weights drift apart.

A gradient of some hundred kilobytes is all latency. Where all ranks are processes of one node, and so of one pod, whose
GPUs reach each other's memory, two kernels of torch's that read and write it directly (each rank sums its part of the
buffer, then all take the sums) need half of what NCCL does: 12 against 21 microseconds for 0.4 MB on two H200.
"""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist
from torch import nn

from sidings_train.errors import TrainError
from sidings_train.world import World

_ALIGNMENT = 1024  # numbers; the parts of all ranks have to begin at whole vectors


class FlatGradients:
    """The gradients of ``model``, whose parameters are of one type and device.

    ``symmetric`` asks for the exchange through each other's memory; where that cannot be had it goes through the
    process group, and ``reason`` says why.
    """

    def __init__(self, model: nn.Module, world: World, *, symmetric: bool = False) -> None:
        self._world = world
        self.reason, self._symmetric = "", False
        parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self._flat = self._buffer(sum(parameter.numel() for parameter in parameters), parameters[0], symmetric)
        self._views: list[tuple[nn.Parameter, torch.Tensor]] = []
        start = 0
        for parameter in parameters:
            view = self._flat[start : start + parameter.numel()].view_as(parameter)
            parameter.grad = view
            self._views.append((parameter, view))
            start += parameter.numel()
        with torch.no_grad():
            for tensor in [*model.parameters(), *model.buffers()]:  # as DDP does: all ranks begin as rank 0
                if world.size > 1:
                    dist.broadcast(tensor, src=0)

    def zero(self) -> None:
        self._flat.zero_()

    def average(self) -> None:
        """Over the ranks, once a step, after the last backward. TrainError where gradients are not in the buffer."""
        if any(parameter.grad is not view for parameter, view in self._views):
            raise TrainError(
                "gradients are not in the buffer that the ranks exchange",
                cause="optimizer.zero_grad() drops them from it, and so does assigning .grad",
                remedy="call zero() of FlatGradients instead, and average() after the last backward of a step",
            )
        if self._world.size == 1:
            return
        self._flat.div_(self._world.size)
        with self._world.exchanging():
            if self._symmetric:
                torch.ops.symm_mem.two_shot_all_reduce_(self._flat, "sum", _everyone().group_name)
            else:
                dist.all_reduce(self._flat)

    def _buffer(self, numbers: int, like: torch.Tensor, symmetric: bool) -> torch.Tensor:
        if symmetric and self._world.size > 1:
            buffer = self._shared_buffer(-(-numbers // _ALIGNMENT) * _ALIGNMENT, like)
            if not self._world.any(buffer is None):
                self._symmetric = True
                assert buffer is not None
                return buffer
            self.reason = self.reason or "another rank has no symmetric memory"
            print(f"gradients go through the process group: {self.reason}", file=sys.stderr, flush=True)
        return torch.zeros(numbers, dtype=like.dtype, device=like.device)

    def _shared_buffer(self, numbers: int, like: torch.Tensor) -> torch.Tensor | None:
        """Memory that all ranks map; None, with the reason, where it cannot be had."""
        if not self._world.on_one_node or like.device.type != "cuda":
            self.reason = "symmetric memory is for GPUs of one node"
            return None
        try:
            from torch.distributed import _symmetric_memory as memory

            buffer = memory.empty(numbers, dtype=like.dtype, device=like.device)
            memory.rendezvous(buffer, _everyone())
        except (ImportError, AttributeError, RuntimeError) as error:  # not in this torch, or not on this machine
            self.reason = f"symmetric memory: {str(error).splitlines()[0]}"
            return None
        return buffer.zero_()


def _everyone() -> dist.ProcessGroup:
    group = dist.group.WORLD
    assert group is not None  # FlatGradients asks only in a world of several ranks
    return group
