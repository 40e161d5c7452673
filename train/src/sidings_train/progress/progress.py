"""Progress, as a training loop uses it.

    with Progress(world, state, total=steps, checkpoints=checkpoints) as progress:
        for rows in progress.data(table.batches(...)):
            ...
            with progress.communicating():
                gradients.average()
            state.advance(len(rows) * world.size, loss)
            progress.step(len(rows) * world.size, loss)
        for rows in progress.evaluation(held_out, len(held_out)):
            ...
        progress.evaluated({"auc": auc})

Rank 0 tells, every ``every`` seconds and at the end: a line on stdout, the status server of its TrainJob where the pod
was told of one, and where they are asked for OpenShift AI's page (``page``) and TensorBoard's files (``tensorboard``).
Only then the loss is read from its device. None of this can end training: what does not work is a line on stderr.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TypeVar

import torch

from sidings_train.checkpoint.checkpoints import Checkpoints
from sidings_train.progress.event_file import EventFile, folder_of
from sidings_train.progress.meter import Interval, Meter
from sidings_train.progress.report import Report
from sidings_train.progress.told import Page, StatusServer
from sidings_train.state import TrainState
from sidings_train.world import World

T = TypeVar("T")
PORTS = range(1 << 16)


class Progress:
    """``total`` steps are the whole run's. ``unit`` names what ``step`` counts.

    ``operations`` (of a row or token, forward and backward) and ``peak`` (of one device, a second) give the MFU.
    ``page`` is the port of OpenShift AI's page, usually 28080, ``tensorboard`` the folder for TensorBoard's files.
    All ranks use it alike; rank 0 tells: its own loss and its own split of the time.
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
        tensorboard: str | os.PathLike[str] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if total < 1:
            raise ValueError("total is at least 1")
        if page is not None and page not in PORTS:
            raise ValueError(f"page is a port, not {page}")
        self._world, self._state, self._checkpoints = world, state, checkpoints
        self._total, self._every, self._unit = total, every, unit
        self._ceiling = peak * world.size / operations if peak and operations else None
        self._clock = clock
        self._meter = Meter(clock())
        self._loss: torch.Tensor | None = None
        self._last: Interval | None = None
        self._evaluation: Mapping[str, float] = {}
        self._evaluated_at: int | None = None
        folder = None if tensorboard is None else folder_of(tensorboard)
        self._told: list[StatusServer | Page | EventFile] = []
        if world.first:
            told = (
                StatusServer.of(os.environ),
                None if page is None else Page(page),
                None if folder is None else EventFile(folder),
            )
            self._told = [one for one in told if one]

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        ends_on_purpose = error is None or isinstance(error, SystemExit)  # Interruption ends a run so
        if ends_on_purpose and (self._meter.steps or self._last is None):
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

    def evaluation(self, batches: Iterable[T], count: int) -> Iterator[T]:
        """The ``count`` ``batches`` of an evaluation, told of as often as training is; its time belongs to no step."""
        began = said = self._clock()
        try:
            for number, batch in enumerate(batches):
                now = self._clock()
                if now - said >= self._every:
                    self._world.say(f"evaluation {number}/{count} {number * 100 // count}%")
                    said = now
                yield batch
        finally:
            self._meter.put_aside(self._clock() - began)

    def evaluated(self, found: Mapping[str, float]) -> None:
        """Tell what an evaluation found, by name, at the present step."""
        if self._meter.steps:
            self.tell()
        self._evaluation, self._evaluated_at = dict(found), self._state.step
        if self._world.first:
            report = self._report()
            self._world.say(report.evaluation_line())
            self._send(report)

    def tell(self) -> None:
        """Report now."""
        if self._world.first:
            report = self._report()
            self._world.say(report.line())
            self._send(report)

    def _send(self, report: Report) -> None:
        for one in self._told:
            one.tell(report)

    def _report(self) -> Report:
        # Waits for the device, whose work belongs to the interval.
        loss = None if self._loss is None else float(self._loss.detach())
        steps = self._meter.steps
        if steps or self._last is None:
            self._last = self._meter.take(self._clock())
        interval = self._last  # without a step since, what the last ones were like
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
            mfu=interval.rate / self._ceiling if self._ceiling and loss is not None else None,
            steps=steps,
            evaluation=self._evaluation,
            evaluated_at=self._evaluated_at,
        )
