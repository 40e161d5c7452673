"""What is told of a run at one moment, as a line, as Kubeflow's ``trainerStatus`` and as OpenShift AI's progression.

The first status is Trainer 2.3's ``status.trainerStatus`` (progressPercentage, estimatedRemainingSeconds, metrics as
text), the other what OpenShift AI 3's TrainJob controller reads from ``:28080/metrics``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any

_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True)
class Report:
    """``rate`` counts ``unit`` a second of all ranks; the shares are of the time since the last report, 0 to 1.

    ``remaining`` and ``checkpoint_age`` are seconds. ``remaining`` is None before the first step was timed,
    ``checkpoint_age`` before the first checkpoint, ``mfu`` where the script gave no operations.
    """

    step: int
    total: int
    epoch: int
    loss: float
    rate: float
    unit: str
    waiting: float
    communicating: float
    remaining: float | None = None
    checkpoint_age: float | None = None
    mfu: float | None = None

    @property
    def percent(self) -> int:
        """Whole per cent of the steps, 100 only at the last one."""
        return min(self.step * 100 // self.total, 100)

    @property
    def computing(self) -> float:
        return max(1 - self.waiting - self.communicating, 0.0)

    def line(self) -> str:
        """For stdout."""
        parts = [
            f"step {self.step}/{self.total} {self.percent}% loss {self.loss:.5g} {self.rate:,.0f} {self.unit}/s",
            "" if self.remaining is None else f"ETA {_clock(self.remaining)}",
            f"data {self.waiting:.0%} compute {self.computing:.0%} communication {self.communicating:.0%}",
            "" if self.checkpoint_age is None else f"checkpoint {_clock(self.checkpoint_age)} ago",
            "" if self.mfu is None else f"MFU {self.mfu:.1%}",
        ]
        return " ".join(filter(None, parts))

    def trainer_status(self, now: datetime) -> dict[str, Any]:
        """The body of a report to the status server; ``now`` in UTC."""
        status = self._progress()
        status["metrics"] = [{"name": name, "value": f"{value:g}"} for name, value in self._metrics().items()]
        status["lastUpdatedTime"] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"trainerStatus": status}

    def progression(self) -> dict[str, Any]:
        """The document that OpenShift AI's controller asks for. JSON has no NaN: a loss that is lost is left out."""
        finite = {name: value for name, value in self._metrics().items() if math.isfinite(value)}
        place = {"currentStep": self.step, "totalSteps": self.total, "currentEpoch": self.epoch}
        return self._progress() | place | {"trainMetrics": finite}

    def _progress(self) -> dict[str, Any]:
        """What both documents begin with."""
        progress: dict[str, Any] = {"progressPercentage": self.percent}
        if self.remaining is not None:
            progress["estimatedRemainingSeconds"] = round(self.remaining)
        return progress

    def _metrics(self) -> dict[str, float]:
        values = {
            "loss": self.loss,
            f"{self.unit}_per_second": self.rate,
            "data_share": self.waiting,
            "compute_share": self.computing,
            "communication_share": self.communicating,
            "checkpoint_age_seconds": self.checkpoint_age,
            "mfu": self.mfu,
        }
        return {name: float(value) for name, value in values.items() if value is not None}


def _clock(seconds: float) -> str:
    """``42 s``, ``3 min 5 s``, ``2 h 10 min``."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
