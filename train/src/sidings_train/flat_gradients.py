"""All gradients in one buffer, exchanged by one all-reduce that the caller places.

DDP does its exchange from hooks inside backward, which a CUDA graph of the whole step cannot hold. With every
``.grad`` a view of one flat buffer, the exchange is one call after backward, and graphs capture it; for a small model
it is also faster than buckets, whose time is latency. ``zero`` instead of ``optimizer.zero_grad``, which would let
the views go.
"""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn

from sidings_train.world import World


class FlatGradients:
    """The gradients of ``model``, whose parameters are of one type and device."""

    def __init__(self, model: nn.Module, world: World) -> None:
        self._world = world
        parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self._flat = torch.zeros(
            sum(parameter.numel() for parameter in parameters), dtype=parameters[0].dtype, device=parameters[0].device
        )
        start = 0
        for parameter in parameters:
            parameter.grad = self._flat[start : start + parameter.numel()].view_as(parameter)
            start += parameter.numel()
        with torch.no_grad():
            for tensor in [*parameters, *model.buffers()]:  # as DDP does: all ranks begin as rank 0
                if world.size > 1:
                    dist.broadcast(tensor, src=0)

    def zero(self) -> None:
        self._flat.zero_()

    def average(self) -> None:
        """Over the ranks, once a step, after the last backward."""
        if self._world.size > 1:
            self._flat.div_(self._world.size)
            dist.all_reduce(self._flat)
