"""Progress, as a training loop uses it.

    with Progress(world, state, total=steps, checkpoints=checkpoints) as progress:
        for rows in progress.data(table.batches(...)):
            ...
            with progress.communicating():
                gradients.average()
            state.advance(len(rows) * world.size, loss)
            progress.step(len(rows) * world.size, loss)

Rank 0 tells, every ``every`` seconds and at the end: a line on stdout, the status server of its TrainJob where the pod
was told of one, and OpenShift AI's page where ``page`` asks for it. Only then the loss is read from its device.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TypeVar

import torch

from sidings_train.checkpoint.checkpoints import Checkpoints
from sidings_train.progress.meter import Meter
from sidings_train.progress.report import Report
from sidings_train.progress.told import Page, StatusServer
from sidings_train.state import TrainState
from sidings_train.world import World

T = TypeVar("T")


class Progress:
    """``total`` steps are the whole run's. ``unit`` names what ``step`` counts.

    ``operations`` (of a row or token, forward and backward) and ``peak`` (of one device, a second) give the MFU.
    ``page`` is the port of OpenShift AI's page, usually 28080. All ranks use it alike; rank 0 tells: its own
    loss and its own split of the time.
    """

    def __init__(
        self,
        world: World,
        state: TrainState,
        *,
        total: int,
        checkpoints: Checkpoints | None = None,
        every: float = 10.0,
        unit: str = "rows",
        operations: float | None = None,
        peak: float | None = None,
        page: int | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if total < 1:
            raise ValueError("total is at least 1")
        self._world, self._state, self._checkpoints = world, state, checkpoints
        self._total, self._every, self._unit = total, every, unit
        self._ceiling = peak * world.size / operations if peak and operations else None
        self._clock = clock
        self._meter = Meter(clock())
        self._loss = torch.tensor(float("nan"))
        self._told: list[StatusServer | Page] = []
        if world.first:
            server = StatusServer.of(os.environ)
            self._told = [*([server] if server else []), *([] if page is None else [Page(page)])]

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None:
            self.tell()
        for one in self._told:
            one.close()

    def data(self, batches: Iterable[T]) -> Iterator[T]:
        """``batches``; the time until each is there counts as waiting for data."""
        iterator = iter(batches)
        while True:
            began = self._clock()
            try:
                batch = next(iterator)
            except StopIteration:
                return
            self._meter.waited(self._clock() - began)
            yield batch

    @contextmanager
    def communicating(self) -> Iterator[None]:
        """The block exchanges gradients or the like. DDP does it inside of backward, where it cannot be told apart."""
        began = self._clock()
        yield
        self._meter.communicated(self._clock() - began)

    def step(self, amount: int, loss: torch.Tensor) -> None:
        """A step is done; all ranks together used ``amount`` for it. To be called after ``TrainState.advance``."""
        self._meter.stepped(amount)
        self._loss = loss
        if self._meter.age(self._clock()) >= self._every:
            self.tell()

    def tell(self) -> None:
        """Report now."""
        if not self._world.first:
            return
        report = self._report()
        self._world.say(report.line())
        for one in self._told:
            one.tell(report)

    def _report(self) -> Report:
        loss = float(self._loss.detach())  # waits for the device, whose work belongs to the interval
        interval = self._meter.take(self._clock())
        saved = self._checkpoints.last if self._checkpoints else None
        return Report(
            step=self._state.step,
            total=self._total,
            epoch=self._state.epoch,
            loss=loss,
            rate=interval.rate,
            unit=self._unit,
            waiting=interval.waiting,
            communicating=interval.communicating,
            remaining=interval.remaining(max(self._total - self._state.step, 0)),
            checkpoint_age=time.time() - saved.at if saved else None,
            mfu=interval.rate / self._ceiling if self._ceiling else None,
        )
