"""The whole of it: a run in peace, a run that is interrupted again and again, and what the two have in common.

Both run in folders of their own below one that stays if they differ, with all output, losses and checkpoints in it.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sidings.verify_resume import comparison, interruptions, places, requirements, weights
from sidings.verify_resume.attempt import Attempt, Launcher, Limits
from sidings.verify_resume.comparison import Difference
from sidings.verify_resume.errors import NoCheckpoint
from sidings.verify_resume.interruptions import Interruption
from sidings.verify_resume.losses import Loss
from sidings.verify_resume.places import Place

UNINTERRUPTED, INTERRUPTED = "uninterrupted", "interrupted"
_PATIENCE = (3.0, 180.0)
"""A start that takes so many times as long as the whole run in peace, and so many seconds more, hangs."""


@dataclass
class Verdict:
    """What came out. ``weights`` is the answer of ``weights.compare``; ``gone_on`` counts starts that did so."""

    seed: int
    ranks: int
    steps: int
    seconds: dict[str, float]
    wanted: int
    made: list[dict[str, Any]] = field(default_factory=list)
    gone_on: int = 0
    losses_compared: int = 0
    losses: Difference | None = None
    weights: dict[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Losses and weights are the same, all interruptions were made, and something was resumed."""
        is_same = self.losses is None and not self.weights["difference"]
        return is_same and len(self.made) == self.wanted and self.gone_on > 0

    @property
    def is_repeatable(self) -> bool:
        """False where the runs part before the first interruption: the script does not do the same thing twice."""
        told = self.losses
        return told is None or told.attempt != 1 or bool(self.made and told.step >= self.made[0]["step"])

    def to_json(self) -> dict[str, Any]:
        return {"identical": self.holds, **asdict(self)}


@dataclass(frozen=True)
class Verification:
    """``script`` with ``arguments``, of a user in ``cwd``, started by ``launcher`` with so many ``ranks``.

    ``work`` is an empty folder, ``say`` takes progress.
    """

    launcher: Launcher
    script: Path
    arguments: Sequence[str]
    ranks: int
    cwd: Path
    work: Path
    environ: Mapping[str, str]
    say: Callable[[str], None]
    _made: list[Place] = field(default_factory=list, init=False)

    def run(self, count: int, seed: int) -> Verdict:
        """Interrupt ``count`` times. Raises ``VerificationError`` where no comparison is possible."""
        rng = random.Random(seed)
        calm, stormy = self._place(UNINTERRUPTED), self._place(INTERRUPTED)
        began = time.monotonic()
        expected = self._in_peace(calm)
        seconds = {UNINTERRUPTED: time.monotonic() - began}
        steps = max(loss.step for loss in expected)
        self.say(f"uninterrupted: {steps} steps in {seconds[UNINTERRUPTED]:.1f} s")
        verdict = Verdict(seed, self.ranks, steps, seconds, count)
        began = time.monotonic()
        plan = interruptions.drawn(count, steps, self.launcher.manners, rng)
        attempts = self._in_storm(stormy, plan, verdict, rng, first=min(loss.step for loss in expected))
        seconds[INTERRUPTED] = time.monotonic() - began
        self.say(f"interrupted {len(verdict.made)} times: {seconds[INTERRUPTED]:.1f} s")
        verdict.losses_compared = sum(map(len, attempts))
        verdict.losses = comparison.first_difference(expected, attempts)
        verdict.gone_on = comparison.gone_on(expected, attempts)
        requirements.of_checkpoints(self.script, stormy)
        end = calm.newest_checkpoint()
        verdict.weights = self._compared(str(end), str(stormy.counterpart(end, calm) or stormy.newest_checkpoint()))
        return verdict

    def clear(self) -> None:
        """Remove everything that the runs wrote to folders of theirs."""
        for place in self._made:
            place.remove()
        shutil.rmtree(self.work, ignore_errors=True)

    def _place(self, name: str) -> Place:
        place = places.of(self.work / name, self.arguments, self.cwd, self.environ)
        if taken := place.taken:
            raise NoCheckpoint(
                f"{taken} is of another run",
                cause="a verification begins without checkpoints",
                remedy=f"{'aws s3 rm --recursive' if place.bucket else 'rm -r'} {taken}   (or name another)",
            )
        self._made.append(place)
        place.folder.mkdir()
        place.temporary.mkdir(exist_ok=True)
        return place

    def _in_peace(self, place: Place) -> list[Loss]:
        running = self.launcher.start(place, 1)
        self.say(f"the run in peace prints to {running.output}")
        with Attempt(running, 1, self.say) as attempt:
            attempt.end()
        told = attempt.told.read()
        requirements.of_losses(self.script, told)
        requirements.of_checkpoints(self.script, place)
        return told

    def _in_storm(
        self, place: Place, plan: Sequence[Interruption], verdict: Verdict, rng: random.Random, *, first: int
    ) -> list[list[Loss]]:
        """The losses of every start, the last of which came to the end; ``first`` is the first step in peace."""
        times, more = _PATIENCE
        limits = Limits(whole=verdict.seconds[UNINTERRUPTED] * times + more)
        told: list[list[Loss]] = []
        done = ""
        for due in plan:
            number = len(told) + 1
            with Attempt(self.launcher.start(place, number), number, self.say, limits, done) as attempt:
                ended, done = attempt.interrupt(due.manner, rng) if attempt.reaches(due.step) else (False, "")
            told.append(list(attempt.told.read()))
            if number == 1:
                requirements.of_beginning(self.script, told[0], first)
            if not ended:
                self.say(f"the script came to its end before it could be interrupted at step {due.step}")
                return told
            last = max(loss.step for loss in told[-1])
            verdict.made.append({"step": last, "manner": str(due.manner), "done": done})
            ignored = "; the script went on to its end all the same" if last == verdict.steps else ""
            self.say(f"interrupted at step {last}: {done}{ignored}")
        number = len(told) + 1
        with Attempt(self.launcher.start(place, number), number, self.say, limits, done) as attempt:
            attempt.end()
        return [*told, list(attempt.told.read())]

    def _compared(self, one: str, other: str) -> dict[str, Any]:
        command = [sys.executable, weights.__file__, one, other]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(self.environ))
        if done.returncode:
            raise NoCheckpoint(
                f"{one} and {other} cannot be compared",
                cause=done.stderr.strip().rpartition("\n")[2],
                remedy=" ".join(command),
            )
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer
