"""What is told of a run at one moment, as a line, as Kubeflow's ``trainerStatus`` and as OpenShift AI's progression.

The first status is Trainer 2.3's ``status.trainerStatus`` (progressPercentage, estimatedRemainingSeconds, metrics as
text), the other what OpenShift AI 3's TrainJob controller reads from ``:28080/metrics``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

_MINUTE, _HOUR = 60, 3600
_WHOLE = 100


@dataclass(frozen=True)
class Report:
    """``rate`` counts ``unit`` a second of all ranks; the shares are of the time since the last report, 0 to 1.

    ``remaining`` and ``checkpoint_age`` are seconds. ``loss`` and ``remaining`` are None before the first step,
    ``checkpoint_age`` before the first checkpoint, ``mfu`` where the script gave no operations. ``steps`` were done
    since the last report; ``evaluation`` is what the last one found, at the step ``evaluated_at``.
    """

    step: int
    total: int
    epoch: int
    loss: float | None
    rate: float
    unit: str
    waiting: float
    communicating: float
    remaining: float | None = None
    checkpoint_age: float | None = None
    mfu: float | None = None
    steps: int = 0
    evaluation: Mapping[str, float] = field(default_factory=dict)
    evaluated_at: int | None = None

    @property
    def first_step(self) -> int:
        """The first of the steps that this report is about."""
        return self.step - self.steps + 1

    @property
    def percent(self) -> int:
        """Whole per cent of the steps, 100 only at the last one."""
        return min(self.step * 100 // self.total, 100)

    @property
    def computing(self) -> float:
        return max(1 - self.waiting - self.communicating, 0.0)

    def line(self) -> str:
        """For stdout."""
        split = f"data {self.waiting:.0%} compute {self.computing:.0%} communication {self.communicating:.0%}"
        parts = [
            f"step {self.step}/{self.total} {self.percent}%",
            "" if self.loss is None else f"loss {self.loss:.5g} {_number(self.rate)} {self.unit}/s",
            "" if self.remaining is None else f"ETA {_clock(self.remaining)}",
            "" if self.loss is None else split,
            "" if self.checkpoint_age is None else f"checkpoint {_clock(self.checkpoint_age)} ago",
            "" if self.mfu is None else f"MFU {self.mfu:.1%}",
        ]
        return " ".join(filter(None, parts))

    def evaluation_line(self) -> str:
        """For stdout, after an evaluation."""
        found = " ".join(f"{name} {value:.5g}" for name, value in self.evaluation.items())
        return f"step {self.step}/{self.total} {self.percent}% evaluated: {found}"

    def trainer_status(self, now: datetime) -> dict[str, Any]:
        """The body of a report to the status server; ``now`` in UTC."""
        status = self._progress()
        metrics = self._metrics() | {f"eval_{name}": value for name, value in self.evaluation.items()}
        told = {"step": f"{self.step}", "total_steps": f"{self.total}"}
        told |= {name: f"{value:g}" for name, value in metrics.items()}
        status["metrics"] = [{"name": name, "value": value} for name, value in told.items()]
        status["lastUpdatedTime"] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"trainerStatus": status}

    def progression(self) -> dict[str, Any]:
        """The document that OpenShift AI's controller asks for. JSON has no NaN: a loss that is lost is left out."""
        place = {"currentStep": self.step, "totalSteps": self.total, "currentEpoch": self.epoch}
        metrics = {"trainMetrics": _finite(self._metrics()), "evalMetrics": _finite(self.evaluation)}
        return self._progress() | place | {name: values for name, values in metrics.items() if values}

    def scalars(self) -> dict[str, float]:
        """What is new at this step, for TensorBoard: each is one point of a curve."""
        train = self._metrics() | {"epoch": float(self.epoch)} if self.steps else {}
        found = self.evaluation if self.evaluated_at == self.step else {}
        return {
            f"{part}/{name}": value
            for part, values in (("train", train), ("eval", found))
            for name, value in values.items()
        }

    def _progress(self) -> dict[str, Any]:
        """What both documents begin with."""
        progress: dict[str, Any] = {"progressPercentage": self.percent}
        if self.remaining is not None:
            progress["estimatedRemainingSeconds"] = round(self.remaining)
        return progress

    def _metrics(self) -> dict[str, float]:
        """What is measured of steps where one was done, and the checkpoint's age."""
        of_steps = {
            "loss": self.loss,
            f"{self.unit}_per_second": self.rate,
            "data_share": self.waiting,
            "compute_share": self.computing,
            "communication_share": self.communicating,
            "mfu": self.mfu,
        }
        values = {"checkpoint_age_seconds": self.checkpoint_age} | ({} if self.loss is None else of_steps)
        return {name: float(value) for name, value in values.items() if value is not None}


def _finite(values: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in values.items() if math.isfinite(value)}


def _number(rate: float) -> str:
    """Whole; where a step of a few rows takes minutes, three digits."""
    return f"{rate:,.0f}" if rate >= _WHOLE else f"{rate:.3g}"


def _clock(seconds: float) -> str:
    """``42 s``, ``3 min 5 s``, ``2 h 10 min``."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
