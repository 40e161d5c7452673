"""How far a training run is, as it says itself: what ``sidings top`` shows beside the hardware. Pure.

A run tells in up to three places, and the first that says anything counts:

1. ``status.trainerStatus`` of its TrainJob (Trainer 2.3's gate ``TrainJobStatus``),
2. the TrainJob's progression annotation (OpenShift AI),
3. the newest line of rank 0's log that has a ``step`` with a ``loss`` or a total, as ``sidings_train.Progress`` and
   most scripts print it: ``step 634/1902 33% loss 0.012 107,412 rows/s ETA 3 min 5 s checkpoint 12 s ago``.

The first two are asked for by switches that most jobs do not set, the last is there for any script. What is told grows
old: ``aged`` says what it means now.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sidings.api import timestamps
from sidings.api.objects import annotations_of
from sidings.api.trainer.words import PROGRESSION

_STEP = re.compile(r"\bstep[\s=:#]*(\d+)(?: ?(?:/|of) ?(\d+))?", re.IGNORECASE)
_LOSS = re.compile(r"(?:\b|_)loss['\"]?[\s=:]*([-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|nan|inf))", re.IGNORECASE)
_RATE = re.compile(r"(\d[\d,.]*) ?(rows|tokens|tok|samples|examples|sequences|images|steps|it)/s\b", re.IGNORECASE)
_TIME = r"((?:\d+ ?(?:h|min|m|s)\b ?)+)"
_REMAINING = re.compile(rf"\bETA[\s=:]*{_TIME}", re.IGNORECASE)
_CHECKPOINT = re.compile(rf"\b(?:checkpoint|ckpt) {_TIME} ?ago", re.IGNORECASE)
_SHARE = re.compile(r"\b(data|compute|communication|MFU) (\d[\d.]*)%")
_PART_OF_TIME = re.compile(r"(\d+) ?(h|min|m|s)\b", re.IGNORECASE)
_SECONDS = {"h": 3600, "min": 60, "m": 60, "s": 1}
_PER_SECOND = "_per_second"


@dataclass(frozen=True)
class Progress:
    """What was said at ``told``; None for what was not. Shares and ``mfu`` from 0 to 1, times in seconds."""

    step: int | None = None
    total: int | None = None
    percent: float | None = None
    loss: float | None = None
    rate: float | None = None
    unit: str = ""
    remaining: float | None = None
    checkpoint_age: float | None = None
    data: float | None = None
    compute: float | None = None
    communication: float | None = None
    mfu: float | None = None
    told: datetime | None = None


def of_job(train_job: Mapping[str, Any]) -> Progress | None:
    """What stands in the TrainJob itself; None where nothing does."""
    status = (train_job.get("status") or {}).get("trainerStatus")
    return _of_status(status) if status else _of_annotation(annotations_of(train_job).get(PROGRESSION) or "null")


def in_log(lines: Iterable[str]) -> Progress | None:
    """What the newest telling line says, of the end of a log with its times: ``2026-11-30T12:00:00Z TEXT``."""
    for line in reversed(list(lines)):
        stamp, _, rest = line.partition(" ")
        told = _moment(stamp)
        text = rest if told else line  # a bar that rewrites its line has one time for many
        step, loss = _STEP.search(text), _LOSS.search(text)
        if step and (step[2] or loss):
            return _of_line(text, step, _numbers({"loss": loss[1]} if loss else {}).get("loss"), told)
    return None


def aged(progress: Progress, now: datetime) -> Progress:
    """The same at ``now``: a checkpoint is older by then, and less remains."""
    age = max((now - progress.told).total_seconds(), 0.0) if progress.told else 0.0
    return replace(
        progress,
        remaining=None if progress.remaining is None else max(progress.remaining - age, 0.0),
        checkpoint_age=None if progress.checkpoint_age is None else progress.checkpoint_age + age,
    )


def to_json(progress: Progress, now: datetime) -> dict[str, Any]:
    """For programs: what is known, under the names that ``trainerStatus`` has for it; ages at ``now``."""
    then = aged(progress, now)
    known = {
        "step": then.step,
        "totalSteps": then.total,
        "progressPercentage": then.percent,
        "loss": then.loss if then.loss is None or math.isfinite(then.loss) else str(then.loss),
        "rate": then.rate,
        "unit": then.unit or None,
        "estimatedRemainingSeconds": then.remaining,
        "checkpointAgeSeconds": then.checkpoint_age,
        "dataShare": then.data,
        "computeShare": then.compute,
        "communicationShare": then.communication,
        "mfu": then.mfu,
        "lastUpdatedTime": timestamps.to_text(then.told) if then.told else None,
    }
    return {name: value for name, value in known.items() if value is not None}


def _of_line(text: str, step: re.Match[str], loss: float | None, told: datetime | None) -> Progress:
    rate = _RATE.search(text)
    shares = {name.lower(): float(value) / 100 for name, value in _SHARE.findall(text)}
    number, total = int(step[1]), int(step[2]) if step[2] else None
    return Progress(
        step=number,
        total=total,
        percent=_percent(number, total),
        loss=loss,
        rate=float(rate[1].replace(",", "")) if rate else None,
        unit=rate[2] if rate else "",
        remaining=_seconds(_REMAINING.search(text)),
        checkpoint_age=_seconds(_CHECKPOINT.search(text)),
        told=told,
        **shares,
    )


def _of_status(status: Mapping[str, Any]) -> Progress:
    metrics = {metric["name"]: metric["value"] for metric in status.get("metrics") or ()}
    return _of_report(status, metrics)


def _of_annotation(text: str) -> Progress | None:
    try:
        report: Any = json.loads(text)
    except ValueError:
        return None
    if not isinstance(report, dict):
        return None
    metrics = report.get("trainMetrics")
    counts = {"step": report.get("currentStep"), "total_steps": report.get("totalSteps")}
    return _of_report(report, {**(metrics if isinstance(metrics, dict) else {}), **counts})


def _of_report(report: Mapping[str, Any], metrics: Mapping[str, Any]) -> Progress:
    """``metrics`` have the library's names; those of others have at least a ``loss``."""
    known, whole = _numbers(metrics), _numbers(report)
    unit, rate = next(
        ((name.removesuffix(_PER_SECOND), value) for name, value in known.items() if name.endswith(_PER_SECOND)),
        ("", None),
    )
    step, total = _count(known.get("step")), _count(known.get("total_steps"))
    return Progress(
        step=step,
        total=total,
        percent=whole.get("progressPercentage", None if step is None else _percent(step, total)),
        loss=known.get("loss"),
        rate=rate,
        unit=unit,
        remaining=whole.get("estimatedRemainingSeconds"),
        checkpoint_age=known.get("checkpoint_age_seconds"),
        data=known.get("data_share"),
        compute=known.get("compute_share"),
        communication=known.get("communication_share"),
        mfu=known.get("mfu"),
        told=_moment(str(report.get("lastUpdatedTime"))),
    )


def _count(number: float | None) -> int | None:
    return int(number) if number is not None and math.isfinite(number) else None


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """Those that are numbers, or text of one, as ``trainerStatus`` has them."""
    numbers = {}
    for name, value in values.items():
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            continue
    return numbers


def _percent(step: int, total: int | None) -> float | None:
    return min(step * 100 // total, 100) if total else None


def _seconds(found: re.Match[str] | None) -> float | None:
    if found is None:
        return None
    return float(sum(int(count) * _SECONDS[unit.lower()] for count, unit in _PART_OF_TIME.findall(found[1])))


def _moment(text: str) -> datetime | None:
    try:
        return timestamps.from_text(text)
    except ValueError:
        return None
