"""A whole training step as one CUDA graph: one launch instead of hundreds.

For a small model most of a step is launching kernels: 2.0 ms eagerly, 0.27 ms as a graph (1,024 rows on an H200). The
step is a function of tensors of fixed shapes that returns a tensor. Its first calls run eagerly, as real steps:
allocations settle and lazy initialisation happens there. Then it is captured once, and replayed from inputs that are
copied into place.

Inside the step, and only there: forward, backward, ``FlatGradients.average``, the optimizer (``capturable=True`` or
``fused=True``, with a learning rate that is a tensor, so that it can change between replays). Resume before the first
call.

Where a graph cannot be had, the step runs eagerly, and ``reason`` says why.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import torch

_WARM_UP = 3  # eager steps on the side stream before capture, as torch asks for


class WholeStep:
    """``step(*inputs) -> Tensor``, replayed as a graph once it is warm. ``enabled=False`` keeps it eager."""

    def __init__(
        self, step: Callable[..., torch.Tensor], device: torch.device, *, graph: bool = True, compiled: bool = False
    ) -> None:
        self._eager = step
        self._step = step
        self._device = device
        self._calls = 0
        self._graph: torch.cuda.CUDAGraph | None = None
        self._inputs: tuple[torch.Tensor, ...] = ()
        self._output = torch.empty(0)
        self._wants_graph = graph and device.type == "cuda"
        self.reason = "" if self._wants_graph or not graph else f"no CUDA graphs on {device.type}"
        if compiled:
            self._step = torch.compile(step, dynamic=False)

    def __call__(self, *inputs: torch.Tensor) -> torch.Tensor:
        """One step. Inputs of other shapes than the captured ones (the last batch of an epoch) run eagerly."""
        self._calls += 1
        if self._graph is None and self._wants_graph and self._calls > _WARM_UP:
            self._capture(inputs)
        if self._graph is not None and self._fits(inputs):
            for place, value in zip(self._inputs, inputs, strict=True):
                place.copy_(value)
            self._graph.replay()
            return self._output
        return self._run(inputs)

    def _run(self, inputs: tuple[torch.Tensor, ...]) -> torch.Tensor:
        if self._calls == 1 and self._step is not self._eager:
            return self._first_compiled(inputs)
        return self._step(*inputs)

    def _first_compiled(self, inputs: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """torch.compile compiles at the first call; without a compiler on the machine that is where it fails."""
        try:
            return self._step(*inputs)
        except torch._dynamo.exc.TorchDynamoException as error:
            self._fall_back(f"torch.compile: {str(error).splitlines()[0]}")
            self._step = self._eager
            return self._step(*inputs)

    def _capture(self, inputs: tuple[torch.Tensor, ...]) -> None:
        self._inputs = tuple(value.clone() for value in inputs)
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                self._output = self._step(*self._inputs)
            self._graph = graph
        except RuntimeError as error:
            self._wants_graph = False
            self._fall_back(f"CUDA graph: {str(error).splitlines()[0]}")

    def _fits(self, inputs: tuple[torch.Tensor, ...]) -> bool:
        return all(
            value.shape == place.shape and value.dtype == place.dtype
            for value, place in zip(inputs, self._inputs, strict=True)
        )

    def _fall_back(self, reason: str) -> None:
        self.reason = reason
        print(f"steps run eagerly: {reason}", file=sys.stderr, flush=True)
