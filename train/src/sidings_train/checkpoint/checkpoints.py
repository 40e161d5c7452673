"""The checkpoints of one run, as a training loop uses them.

    with Checkpoints("/mnt/checkpoints/run-1", world, state, every=200) as checkpoints:
        checkpoints.resume()
        while state.epoch < epochs:
            ...
            state.advance(rows)
            checkpoints.after_step()

Training waits only while the state is copied; a thread writes the copy. One is written at a time: when the next is due
before it is done, the next is left out, with a line that says so, so that a slow store costs checkpoints and not steps.
A periodic checkpoint that fails is a line too, and training goes on; ``save`` (the last one) raises.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import torch

from sidings_train import rng
from sidings_train.checkpoint import writing
from sidings_train.checkpoint.aside import Aside
from sidings_train.checkpoint.finding import latest
from sidings_train.checkpoint.layout import Attempt
from sidings_train.checkpoint.loading import load
from sidings_train.checkpoint.manifest import Manifest, kept
from sidings_train.checkpoint.staging import Staging, is_sharded, shapes_of
from sidings_train.errors import CheckpointError, LossError, TrainError
from sidings_train.state import TrainState, packed
from sidings_train.storage.place import Place
from sidings_train.storage.places import place_of
from sidings_train.world import World


@dataclass(frozen=True)
class Saved:
    """One checkpoint that is complete: which step, when (time.time), its size, and how long training waited for it."""

    step: int
    at: float
    size: int
    stall: float


class Checkpoints:
    """Writes ``state`` to ``place`` every ``every`` steps and finds the newest to go on from.

    ``place``: a path, ``s3://BUCKET/PREFIX``, or a ``Place``; one run, one place. ``keep`` newest steps stay, and all
    multiples of ``keep_every``. Every method is for all ranks together, at the same step.
    """

    def __init__(
        self,
        place: str | os.PathLike[str] | Place,
        world: World,
        state: TrainState,
        *,
        every: int | None = None,
        keep: int = 2,
        keep_every: int | None = None,
    ) -> None:
        if keep < 1 or (every is not None and every < 1) or (keep_every is not None and keep_every < 1):
            raise ValueError("keep, every and keep_every are at least 1")
        self._world, self._state, self._every = world, state, every
        with world.together():
            self._place = place_of(place) if isinstance(place, str | os.PathLike) else place
            kept(state.recipe)  # else refused when the first checkpoint is due
        self._retention = writing.Retention(keep, keep_every)
        self._group = world.new_group()
        self._staging = Staging()
        self._run = world.from_first(f"{time.time_ns() // 1000:016d}-{secrets.token_hex(3)}")
        self._tries = 0
        self._reserving: Aside[None] | None = None
        self._pending: Aside[Saved] | None = None
        self.last: Saved | None = None
        self.stalled = 0.0  # seconds that training has waited for checkpoints so far

    def __enter__(self) -> Checkpoints:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Wait for what is being written; not when the block failed, for then other ranks may be gone."""
        if kind is None:
            self._settle()

    def resume(self) -> bool:
        """Take over the newest whole checkpoint, if there is one. CheckpointError when it is of another run."""
        self._same_recipe_on_all_ranks()
        found = latest(self._place, self._world)
        if found is None:
            return False
        load(self._place, found, self._state, self._world)
        place, ranks = found.manifest.place, found.manifest.written["ranks"]
        self._world.say(
            f"resumed from {self._place.url}/{found.attempt.path()} at step {place['step']} (epoch {place['epoch']}, "
            f"position {place['position']}, written by {ranks} rank{'s' if ranks > 1 else ''})"
        )
        size = sum(file.size for file in found.manifest.files.values())
        self.last = Saved(place["step"], float(found.manifest.written["at"]), size, 0.0)
        return True

    def after_step(self) -> None:
        """Save when the state's step is a multiple of ``every``; training waits for the copy only."""
        if not self._every:
            return
        if self._reserving is None:
            # Only to get memory: to look at the model from another thread would disturb FSDP in the middle of a step.
            shapes = shapes_of(self._own_tensors()[0])
            self._reserving = Aside(lambda: self._staging.reserve(shapes))
        if self._state.step % self._every == 0:
            self._must_be_finite()
            if self._world.any(self._pending is not None and not self._pending.done()):
                self._world.say(
                    f"checkpoint at step {self._state.step} left out: the one before is still being written"
                )
                return
            self._settle()
            self._pending = self._begin()

    def save(self) -> Saved:
        """Write the present step and wait until it is complete: for the end of a run, or of this process.

        A step that is complete already is not written again. CheckpointError or StorageError, on all ranks, on failure.
        """
        self._settle()
        self._must_be_finite()
        if self.last is not None and self.last.step == self._state.step:
            return self.last
        self.last = self._begin().result()
        return self.last

    def _must_be_finite(self) -> None:
        lost = [str(rank) for rank, own in enumerate(self._world.gather(self._state.is_lost())) if own]
        if not lost:
            return
        self._settle()  # all ranks are here, and what is being written is from before the loss was lost
        newest = f"the newest good one is of step {self.last.step}" if self.last else "there is none before"
        raise LossError(
            f"the loss was NaN or infinite by step {self._state.step} (rank {', '.join(lost)})",
            cause=f"no checkpoint was written since; {newest}",
            remedy="lower the learning rate, or clip gradients; unchanged, it would go the same way again",
        )

    def _begin(self) -> Aside[Saved]:
        """Copy the present step and have a thread write it."""
        began = time.perf_counter()
        state = self._state
        if self._reserving is not None:
            self._reserving.result()
        tensors, rest = self._own_tensors()
        own = {"rng": rng.capture(self._world.device), "buffers": {} if self._world.first else state.buffers()}
        objects = {f"rank.{self._world.rank}": packed(own)}
        if self._world.first:
            objects["rest"] = packed(rest)
        staged = writing.Staged(tensors, self._staging.copy(tensors), objects)
        self._tries += 1
        attempt = Attempt(state.step, f"{self._run}-{self._tries}")
        header = Manifest(state.place, kept(state.recipe), self._written(), {})
        stall = time.perf_counter() - began
        self.stalled += stall
        return Aside(lambda: self._write(attempt, staged, header, stall))

    def _own_tensors(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """What this rank writes: its parts of what is sharded, and rank 0 all that every rank has."""
        tensors, rest = self._state.tensors_and_rest()
        return {name: tensor for name, tensor in tensors.items() if self._world.first or is_sharded(tensor)}, rest

    def _write(self, attempt: Attempt, staged: writing.Staged, header: Manifest, stall: float) -> Saved:
        size = writing.write(self._place, attempt, staged, header, self._retention, self._world, self._group)
        return Saved(attempt.step, time.time(), size, stall)

    def _settle(self) -> None:
        """Wait for the periodic checkpoint in the thread, if any, and say how it went wrong."""
        if self._pending is None:
            return
        try:
            self.last = self._pending.result()
        except TrainError as error:
            self._world.say(f"checkpoint failed, training goes on: {error}")
        self._pending = None

    def _written(self) -> Mapping[str, Any]:
        return {"at": time.time(), "ranks": self._world.size, "torch": torch.__version__}

    def _same_recipe_on_all_ranks(self) -> None:
        """A rank that reads other data, or was started with other options, is found before it spoils a run."""
        recipes = self._world.gather(kept(self._state.recipe))
        for rank, recipe in enumerate(recipes):
            if recipe != recipes[0]:
                names = sorted(name for name in {*recipe, *recipes[0]} if recipe.get(name) != recipes[0].get(name))
                raise CheckpointError(
                    f"rank {rank} differs from rank 0 in {', '.join(names)}",
                    cause=f"{recipe.get(names[0])!r} there, {recipes[0].get(names[0])!r} on rank 0",
                    remedy="start all ranks with the same arguments and give them the same data",
                )
