"""A whole training step as one CUDA graph: one launch instead of hundreds.

For a small model most of a step is launching kernels: 2.0 ms eagerly, 0.27 ms as a graph (1,024 rows on an H200). The
step is a function of tensors that returns a tensor. Its first calls run eagerly, as real steps: allocations settle and
lazy initialisation happens there. Then it is captured once for each shape of its inputs (the last batch of an epoch is
smaller), and replayed from inputs that are copied into place.

Inside the step, and only there: forward, backward, ``FlatGradients.average``, the optimizer (``capturable=True``, with
a learning rate that is a tensor, so that it can change between replays). Resume before the first call. What a step
does depends on its inputs' shapes alone, not on when it was captured: a run that goes on computes the same.

Where a graph cannot be had, the step runs eagerly, and ``reason`` says why.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import torch

from sidings_train.world import World

_WARM_UP = 3  # eager steps on the side stream before the first capture, as torch asks for

_Shape = tuple[tuple[torch.Size, torch.dtype], ...]


@dataclass(frozen=True)
class _Recording:
    graph: torch.cuda.CUDAGraph
    inputs: tuple[torch.Tensor, ...]
    output: torch.Tensor

    def replay(self, inputs: tuple[torch.Tensor, ...]) -> torch.Tensor:
        for place, value in zip(self.inputs, inputs, strict=True):
            place.copy_(value)
        self.graph.replay()
        return self.output


class WholeStep:
    """``step(*inputs) -> Tensor``, replayed as a graph once it is warm. The tensor is valid until the next call.

    ``graph=False`` keeps it eager.
    """

    def __init__(self, step: Callable[..., torch.Tensor], world: World, *, graph: bool = True) -> None:
        self._step = step
        self._calls = 0
        self._seen: set[_Shape] = set()
        self._recordings: dict[_Shape, _Recording] = {}
        self._wants_graph = graph and world.device.type == "cuda"
        self._side = torch.cuda.Stream(world.device) if self._wants_graph else None  # type: ignore[no-untyped-call]
        self.reason = "" if self._wants_graph or not graph else f"no CUDA graphs on {world.device.type}"
        world.before_the_end(self.close)

    def __call__(self, *inputs: torch.Tensor) -> torch.Tensor:
        """One step."""
        self._calls += 1
        shape = tuple((value.shape, value.dtype) for value in inputs)
        # Once eagerly first: what a shape makes lazily (memory, a plan, a compilation) cannot be made in a capture.
        known = shape in self._seen
        self._seen.add(shape)
        if self._wants_graph and self._calls > _WARM_UP and known and shape not in self._recordings:
            self._record(shape, inputs)
        recording = self._recordings.get(shape)
        return recording.replay(inputs) if recording else self._run(inputs)

    def close(self) -> None:
        """Give the graphs up. NCCL waits for those that hold an exchange before it lets a process group go."""
        self._recordings.clear()
        self._wants_graph = False

    def _run(self, inputs: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """Eagerly; before a capture on a side stream: what autograd keeps of the usual one cannot be captured."""
        if self._side is None or not self._wants_graph:
            return self._step(*inputs)
        self._side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._side):
            output = self._step(*inputs)
        torch.cuda.current_stream().wait_stream(self._side)
        return output

    def _record(self, shape: _Shape, inputs: tuple[torch.Tensor, ...]) -> None:
        places = tuple(value.clone() for value in inputs)
        graph = torch.cuda.CUDAGraph()
        pool = next((known.graph.pool() for known in self._recordings.values()), None)
        try:
            # Only this thread is held to what a capture forbids: others write checkpoints and ask for pinned memory.
            with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
                output = self._step(*places)
            self._recordings[shape] = _Recording(graph, places, output)
        except RuntimeError as error:
            self._wants_graph = False
            self.reason = f"CUDA graph: {str(error).splitlines()[0]}"
            print(f"steps run eagerly: {self.reason}", file=sys.stderr, flush=True)
