"""SIGTERM: the same last step on all ranks, one checkpoint, and an end that says "stopped", not "complete".

    with Interruption(world) as interruption:
        while ...:
            ...
            checkpoints.after_step()
            interruption.check(checkpoints)      # also in evaluation and wherever else much time goes by

A pod that is suspended, preempted or deleted gets SIGTERM; so does a worker whose torchrun gets it, and not every rank
at the same step. The handler only notes it. ``check``, which all ranks pass in the same order, asks all of them; when
one was told, all save the step at which they stand and exit with 143 (128 + SIGTERM). Exit code 0 would say that
training is complete. torchrun ends with 1 after SIGTERM whatever its workers do: that a pod was deleted on purpose is
seen by its deletion, not by that number.

A second SIGTERM ends the process at once. Outside of the block nothing is caught: before the first step there is
nothing to save, and a process in start-up is to end by the first SIGTERM. torchrun kills its workers 30 s after it got
SIGTERM (``TORCH_ELASTIC_SHUTDOWN_TIMEOUT``), a kubelet after ``terminationGracePeriodSeconds``, 30 s as well: when the
last checkpoint may take longer, both have to be longer, the second by more.

torchrun signals a rank's whole process group, so that workers of a ``DataLoader`` would die at once, and the rank of
that ("DataLoader worker is killed by signal: Terminated") instead of saving. What is forked inside of the block
therefore leaves the group, and SIGTERM from its parent ends it as usual: when it ends is the rank's matter.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType, TracebackType

import torch
import torch.distributed as dist

from sidings_train.checkpoint.checkpoints import Checkpoints
from sidings_train.world import World

EXIT_CODE = 128 + signal.SIGTERM
ASK_EVERY = 0.2
"""Seconds between two questions to all ranks: of a step of milliseconds it would be the larger part."""
TORCHRUN_SECONDS = 30.0
"""torchrun's own time-out (2.13), where ``TORCH_ELASTIC_SHUTDOWN_TIMEOUT`` names no other."""
_NEAR = 0.5
"""Of the time-out: a save that took longer is near enough to it to be told of."""
_MOST = 10
"""Calls between two questions: what is called slowly after it was called fast must not keep a signal waiting."""


_entered: set[int] = set()
"""The blocks (their ids) that run in this process."""


def _leave_the_group() -> None:
    """In a child that was just forked, by ``os.fork`` as ``multiprocessing`` does; not before an exec."""
    if _entered:
        _entered.clear()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setpgid(0, 0)


os.register_at_fork(after_in_child=_leave_the_group)


class Interruption:
    """Notes SIGTERM while its block runs. To be entered by the main thread, as Python's signals are."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._told = False
        self._former: object = signal.SIG_DFL
        self._checks, self._next = 0, 1
        self._asked_at, self._asked_by = time.perf_counter(), 0

    def __enter__(self) -> Interruption:
        self._former = signal.signal(signal.SIGTERM, self._note)
        _entered.add(id(self))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _entered.discard(id(self))
        signal.signal(signal.SIGTERM, self._former)  # type: ignore[arg-type]  # it came from there

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._told:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        self._told = True

    def check(self, checkpoints: Checkpoints | None = None) -> None:
        """End all ranks here if one was told to: save the present step, if there are ``checkpoints``, and exit.

        Call it on all ranks alike, between two steps. Where steps are short most calls return at once: all ranks are
        asked about five times a second or at every tenth call, at the same call on each. Raises
        ``SystemExit`` (143), or what ``Checkpoints.save`` raises.
        """
        if not self.stops():
            return
        if checkpoints is None:
            self._world.say("stopped by SIGTERM")
            sys.exit(EXIT_CODE)
        began = time.perf_counter()
        saved = checkpoints.save()
        seconds = time.perf_counter() - began
        self._world.say(f"stopped by SIGTERM at step {saved.step}, saved in {seconds:.1f} s")
        limit = float(os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT") or TORCHRUN_SECONDS)
        if seconds > _NEAR * limit:
            self._world.say(
                f"that is much of the {limit:g} s that torchrun gives: torchrun --shutdown-timeout {seconds * 4:.0f}, "
                f"and terminationGracePeriodSeconds: {seconds * 4 + 10:.0f}"
            )
        sys.exit(EXIT_CODE)

    def stops(self) -> bool:
        """Whether a rank was told to end; the same answer on all. For scripts that end in a way of their own."""
        self._checks += 1
        if self._checks < self._next:
            return False
        now = time.perf_counter()
        pace = (now - self._asked_at) / (self._checks - self._asked_by)
        calls = min(max(int(ASK_EVERY / max(pace, 1e-9)), 1), _MOST)
        told, calls = self._agreed(self._told, calls)
        self._asked_at, self._asked_by = time.perf_counter(), self._checks
        self._next = self._checks + calls
        return told

    def _agreed(self, told: bool, calls: int) -> tuple[bool, int]:
        """Whether any rank was told, and after how many calls to ask again: what the slowest rank wants."""
        if self._world.size == 1:
            return told, 1
        both = torch.tensor([int(told), -calls])
        dist.all_reduce(both, op=dist.ReduceOp.MAX, group=self._world.group)
        return bool(both[0]), -int(both[1])
