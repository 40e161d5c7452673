"""Where the time between two reports went, by this process's clock.

What is not named is compute. On a GPU the host runs ahead of the device, so that a wait for the device counts where it
happens; the sum is right in any case.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """``amount`` rows or tokens of all ranks in ``steps`` steps and ``seconds``, and two shares of these, 0 to 1."""

    steps: int
    amount: int
    seconds: float
    waiting: float
    communicating: float

    @property
    def rate(self) -> float:
        return self.amount / self.seconds if self.seconds > 0 else 0.0

    def remaining(self, steps: int) -> float | None:
        """Seconds that ``steps`` more take at this pace; None where none was done."""
        return steps * self.seconds / self.steps if self.steps else None


class Meter:
    """Sums until they are taken. Times are seconds of one clock; ``steps`` is how many were done so far."""

    def __init__(self, now: float) -> None:
        self._begin(now)

    def _begin(self, now: float) -> None:
        self._began = now
        self.steps = self._amount = 0
        self._waiting = self._communicating = self._aside = 0.0

    def waited(self, seconds: float) -> None:
        """For data."""
        self._waiting += seconds

    def communicated(self, seconds: float) -> None:
        self._communicating += seconds

    def put_aside(self, seconds: float) -> None:
        """Of no step: an evaluation."""
        self._aside += seconds

    def stepped(self, amount: int) -> None:
        self.steps += 1
        self._amount += amount

    def age(self, now: float) -> float:
        """Seconds since the sums were taken last."""
        return now - self._began

    def take(self, now: float) -> Interval:
        """What was summed; the sums begin anew."""
        seconds = max(self.age(now) - self._aside, 0.0)
        waiting, communicating = (
            part / seconds if seconds > 0 else 0.0 for part in (self._waiting, self._communicating)
        )
        interval = Interval(self.steps, self._amount, seconds, waiting, communicating)
        self._begin(now)
        return interval
