"""All processes of one training run, seen from one of them.

A rank decides alone only what cannot differ between ranks. Whatever can (a signal, a full disk, a torn file) goes
through one of the calls here, so that all ranks do the same at the same step: a rank that leaves a collective early
strands the others until their time-out.

These calls use the CPU backend (gloo) even where tensors travel by NCCL, and move a few bytes. They are for the thread
that trains; a thread of its own needs a group of its own (``new_group``), because gloo pairs messages by order.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
import torch.distributed as dist

from sidings_train import rng
from sidings_train.errors import TrainError
from sidings_train.watch import Watch

T = TypeVar("T")


@dataclass
class World:
    """Rank, size, device and backend of this process, and how it agrees with the others.

    ``backend`` is what tensors of ``device`` travel by. ``restarts`` counts how often torchrun has started this world
    before. ``on_one_node``: all processes are of one torchrun, and so of one pod.
    """

    rank: int
    size: int
    local_rank: int
    device: torch.device
    backend: str
    timeout: datetime.timedelta
    restarts: int = 0
    group: dist.ProcessGroup | None = None
    watch: Watch | None = field(default=None, repr=False)
    on_one_node: bool = False
    groups: list[dist.ProcessGroup] = field(default_factory=list, init=False, repr=False)
    _endings: list[Callable[[], None]] = field(default_factory=list, init=False, repr=False)

    @property
    def first(self) -> bool:
        """Whether this is rank 0, which prints and writes what is needed once."""
        return self.rank == 0

    def say(self, text: str) -> None:
        """Print ``text`` once for all ranks, at once."""
        if self.first:
            print(text, flush=True)

    def seed(self, seed: int) -> None:
        """Seed all generators, differently on every rank. Before ``resume``, which takes over the saved ones."""
        rng.begin(seed, self.rank)

    def at(self, step: int) -> None:
        """Tell the watch that this rank begins ``step``: call it when the step's rows are there. Costs nothing."""
        if self.watch:
            self.watch.at(step)

    @contextmanager
    def exchanging(self) -> Iterator[None]:
        """The block is this step's exchange with all other ranks: what lies outside of it is a rank's own work.

        From that a rank that the others wait for is told (``pace``). ``ddp``, ``fsdp`` and ``FlatGradients`` do it by
        themselves.
        """
        if self.watch:
            with self.watch.pace.exchanging():
                yield
        else:
            yield

    def before_the_end(self, do: Callable[[], None]) -> None:
        """``do`` when the block of ``start`` ends, however it does, while the process group is still there."""
        self._endings.append(do)

    def end(self) -> None:
        """What is to be done before the process group is taken down; ``start`` calls it."""
        while self._endings:
            self._endings.pop()()

    def any(self, flag: bool) -> bool:
        """Whether ``flag`` is set on any rank; the same answer on all."""
        if self.size == 1:
            return flag
        told = torch.tensor(int(flag))
        dist.all_reduce(told, op=dist.ReduceOp.MAX, group=self.group)
        return bool(told.item())

    def gather(self, value: T, group: dist.ProcessGroup | None = None) -> list[T]:
        """``value`` of every rank, by rank, on every rank. Small picklable things only."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        dist.all_gather_object(values, value, group=group or self.group)
        return values

    def from_first(self, value: T) -> T:
        """``value`` of rank 0, on every rank."""
        if self.size == 1:
            return value
        box = [value]
        dist.broadcast_object_list(box, src=0, group=self.group, device=torch.device("cpu"))
        return box[0]

    @contextmanager
    def together(self, group: dist.ProcessGroup | None = None) -> Iterator[None]:
        """The body succeeds on all ranks or fails on all: whoever failed is named in the error that all of them raise.

        The body must not contain a collective: the ranks whose part went well wait at its end.
        """
        own: Exception | None = None
        try:
            yield
        except Exception as error:  # of any kind: the others wait for this rank's answer
            own = error
        failures = {rank: failed for rank, failed in enumerate(self.gather(_portable(own), group)) if failed}
        if not failures:
            return
        rank, first = min(failures.items())
        if own is not None:
            raise own
        raise first.of_rank(rank)

    def new_group(self) -> dist.ProcessGroup | None:
        """A CPU group of all ranks for another thread; None in a world of one."""
        if self.size == 1:
            return None
        group = dist.new_group(backend="gloo", timeout=self.timeout)
        assert isinstance(group, dist.ProcessGroup)  # new_group gives a marker only to ranks outside the group
        self.groups.append(group)
        return group


def _portable(error: Exception | None) -> TrainError | None:
    """``error`` in a form that another rank can raise: foreign exceptions may not survive pickling."""
    if error is None or isinstance(error, TrainError):
        return error
    return TrainError(f"{type(error).__name__}: {error}")
