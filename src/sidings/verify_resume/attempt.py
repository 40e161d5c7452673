"""One start of the script under torchrun: its processes, how far it is, and the blow that ends it.

torchrun's workers are in sessions of their own and outlive it when it is killed, so they are found by descent while it
lives. Whatever happens, no process is left behind.
"""

from __future__ import annotations

import itertools
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from sidings.verify_resume import losses
from sidings.verify_resume.errors import ScriptFailed
from sidings.verify_resume.interruptions import Manner
from sidings.verify_resume.losses import Told
from sidings.verify_resume.places import Place

_PAUSE = 0.005  # seconds between two looks at the losses: steps may take as little
_TAIL_LINES = 15
_TORCHRUNS = re.compile(r"[EW]\d{4} [\d:.]+ \d+ \S*torch/distributed/elastic/")
"""What torchrun says after its workers: long, and of the script no more than its exit code."""


class Attempt:
    """Start ``number`` of ``script`` in ``place``. ``limit`` is the time after which it counts as hung, in seconds.

    ``after`` says what ended the start before. A context manager; at its end all processes are gone.
    """

    def __init__(
        self,
        script: Path,
        place: Place,
        number: int,
        ranks: int,
        environ: Mapping[str, str],
        limit: float | None = None,
        after: str = "",
    ) -> None:
        self._output = place.folder / f"output-{number}.log"
        log = place.folder / f"losses-{number}.log"
        self._place, self._number, self._limit, self._after = place, number, limit, after
        self.told = Told(log, self._output)
        self._began = time.monotonic()
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
        own = {losses.VARIABLE: str(log), "TMPDIR": str(place.temporary), "PYTHONUNBUFFERED": "1"}
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [*torchrun, str(script), *place.arguments],
                cwd=place.folder,
                env={**environ, **own},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> Attempt:
        return self

    def __exit__(self, *error: object) -> None:
        self._kill()

    def reaches(self, step: int) -> bool:
        """Wait until ``step`` is done; False if the script came to its end before. Raises ``ScriptFailed``."""
        while not any(loss.step >= step for loss in self.told.read()):
            if self._process.poll() is not None:
                if self._process.returncode:
                    raise self._failed("ended with an error")
                return False
            self._wait_a_little()
        return self._process.poll() is None

    def end(self) -> None:
        """Wait for the script's own end. Raises ``ScriptFailed`` if that is an error."""
        self._wait()
        if self._process.returncode:
            raise self._failed("ended with an error")

    def interrupt(self, manner: Manner, rng: random.Random) -> tuple[bool, str]:
        """(whether the script was ended by it, what was done). Raises ``ScriptFailed`` if it does not end."""
        done = self._strike(manner, rng)
        self._wait()
        return self._process.returncode != 0, done

    def _strike(self, manner: Manner, rng: random.Random) -> str:
        if manner is Manner.TERMINATE:
            self._process.send_signal(signal.SIGTERM)
            return manner
        if manner is Manner.KILL_RANK:
            workers = self._workers()
            if workers:
                rank = rng.choice(sorted(workers))
                workers[rank].kill()
                return f"SIGKILL of rank {rank}"
        self._kill()
        if manner is Manner.TEAR and (file := self._place.newest_file()):
            with file.open("r+b") as torn:
                torn.truncate(file.stat().st_size // 2)
            return f"SIGKILL of all, {file.name} torn"
        return Manner.KILL_ALL

    def _workers(self) -> dict[int, psutil.Process]:
        """The ranks' processes, by rank."""
        found = {}
        for process in self._descendants(recursive=False):
            try:
                rank = process.environ().get("RANK", "")
            except psutil.Error:  # it has just ended
                continue
            if rank.isdecimal():
                found[int(rank)] = process
        return found

    def _descendants(self, *, recursive: bool = True) -> list[psutil.Process]:
        try:
            return psutil.Process(self._process.pid).children(recursive)
        except psutil.NoSuchProcess:
            return []

    def _kill(self) -> None:
        descendants = self._descendants()
        self._process.kill()
        for process in descendants:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self._process.wait()
        psutil.wait_procs(descendants)

    def _wait(self) -> None:
        while self._process.poll() is None:
            self._wait_a_little()

    def _wait_a_little(self) -> None:
        if self._limit is not None and time.monotonic() - self._began > self._limit:
            raise self._failed(f"did not end within {self._limit:.0f} s")
        time.sleep(_PAUSE)

    def _failed(self, what: str) -> ScriptFailed:
        lines = self._output.read_text(errors="replace").splitlines()
        own = list(itertools.takewhile(lambda line: not _TORCHRUNS.match(line), lines)) or lines
        told = "\n    ".join(["the end of its output:", *own[-_TAIL_LINES:]])
        start = f"start {self._number} of the script{self._after and f', after {self._after},'}"
        return ScriptFailed(f"{start} {what}", cause=told, remedy=f"less {self._output}")
