"""The script as processes of this machine, under torchrun.

torchrun's workers are in sessions of their own and outlive it when it is killed, as what they started outlives them, so
all are found by the file for their losses, which is in their environment. Whatever happens, no process is left behind.
"""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

from sidings.verify_resume import losses, ranks
from sidings.verify_resume.interruptions import Manner
from sidings.verify_resume.losses import Told
from sidings.verify_resume.outage import Kind, Outage
from sidings.verify_resume.places import Place

_MANNERS = (Manner.TERMINATE, Manner.KILL_RANK, Manner.KILL_ALL, Manner.TEAR)
_CUBLAS = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
"""Without it no script can be deterministic on a GPU; elsewhere nobody reads it (torch's notes on reproducibility)."""
_MOST_FAILURES = 12
"""Requests that fail in one outage, at most: more than clients repeat one of them."""


class Torchrun:
    """Launches ``script`` with ``count`` ranks. ``outage`` is the way to the bucket where checkpoints go there."""

    def __init__(self, script: Path, count: int, environ: Mapping[str, str], outage: Outage | None = None) -> None:
        self._script, self._count, self._environ, self._outage = script, count, environ, outage
        self._last: Processes | None = None

    @property
    def manners(self) -> Sequence[Manner]:
        return (*_MANNERS, Manner.STARVE) if self._outage else _MANNERS

    def start(self, place: Place, number: int) -> Processes:
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={self._count}"]
        through = self._outage.environment() if self._outage else {}
        command = [*torchrun, str(self._script), *place.arguments]
        self._last = Processes(command, place, number, {**_CUBLAS, **self._environ, **through}, self._outage)
        return self._last

    def close(self) -> None:
        if self._last:  # whoever was interrupted right after its start has not closed it
            self._last.close()
        if self._outage:
            self._outage.close()


class Processes:
    """One torchrun and its workers."""

    def __init__(
        self, command: Sequence[str], place: Place, number: int, environ: Mapping[str, str], outage: Outage | None
    ) -> None:
        self.output = place.folder / f"output-{number}.log"
        self._log = place.folder / f"losses-{number}.log"
        self.told = Told(self._log, self.output)
        self._place, self._outage = place, outage
        own = {losses.VARIABLE: str(self._log), "TMPDIR": str(place.temporary), "PYTHONUNBUFFERED": "1"}
        with self.output.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                cwd=place.folder,
                env={**environ, **own},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def waiting(self) -> None:
        """Processes run at once."""

    def code(self) -> int | None:
        return self._process.poll()

    def strike(self, manner: Manner, rng: random.Random, wait: Callable[[], None]) -> str:
        if manner is Manner.TERMINATE:
            self._process.send_signal(signal.SIGTERM)
            return manner
        if manner is Manner.KILL_RANK and (done := ranks.kill_one(self._workers(), rng)):
            return done
        if manner is Manner.STARVE and self._outage:
            return self._starve(self._outage, rng, wait)
        self._kill()
        if manner is Manner.TEAR and (name := self._place.tear_newest()):
            return f"SIGKILL of all, {name} torn"
        return Manner.KILL_ALL

    def _starve(self, outage: Outage, rng: random.Random, wait: Callable[[], None]) -> str:
        """The bucket fails some requests; whether the script ends by that or goes on, it is killed."""
        kind, wanted = rng.choice(list(Kind)), rng.randint(1, _MOST_FAILURES)
        with outage.of(kind) as failed:
            while self._process.poll() is None and failed() < wanted:
                wait()
            count = failed()
        if self._process.poll() is None:
            self._kill()
            return f"S3 {kind} {count} times, SIGKILL of all"
        return f"S3 {kind} {count} times, which ended the script"

    def close(self) -> None:
        self._kill()

    def _workers(self) -> list[psutil.Process]:
        try:
            return psutil.Process(self._process.pid).children()
        except psutil.NoSuchProcess:
            return []

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()
        while left := ranks.started_with(psutil.process_iter(), self._log):  # a fork may be missed once
            for process in left:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(left)
