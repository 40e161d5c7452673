"""Progress as OpenShift AI tracks it: annotations of the TrainJob, fed from a page that the first node serves.

A TrainJob annotated ``trainer.opendatahub.io/progression-tracking: "true"`` has its first node asked now and then for
``/metrics``, a JSON document, and what it says stands in the annotation ``trainer.opendatahub.io/trainerStatus``. When
the job ends the termination message of the node's container counts, which is the same document. Everything in here is
pure; ``progression_tracker`` asks and writes. Facts: Red Hat's fork of Trainer, pkg/rhai (OpenShift AI 3.2 to 3.5).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeGuard

from sidings.api import timestamps
from sidings.api.objects import Object, annotations_of
from sidings.api.trainer.words import PROGRESSION

_PREFIX = "trainer.opendatahub.io"
TRACKING = f"{_PREFIX}/progression-tracking"
PORT = f"{_PREFIX}/metrics-port"
INTERVAL = f"{_PREFIX}/metrics-poll-interval"

DEFAULT_PORT, PORTS = 28080, range(1024, 65536)
DEFAULT_SECONDS, SHORTEST, LONGEST = 30.0, 5.0, 300.0
_DURATION = re.compile(r"(\d+)(s|m)?")
_COUNTS = ("estimatedRemainingSeconds", "currentStep", "totalSteps", "totalEpochs")
_METRICS = ("trainMetrics", "evalMetrics")
_SUMMARY = "estimatedRemainingTimeSummary"
_WHOLE = 100


class Tracking(NamedTuple):
    """Where and how often (in seconds) a TrainJob's first node is asked."""

    port: int
    seconds: float


def tracking_of(job: Mapping[str, Any]) -> Tracking | None:
    """What the annotations ask for; None without tracking. A value that makes no sense is the default."""
    annotations = annotations_of(job)
    if annotations.get(TRACKING) != "true":
        return None
    port = annotations.get(PORT) or ""
    number = int(port) if port.isascii() and port.isdigit() else DEFAULT_PORT
    found = _DURATION.fullmatch((annotations.get(INTERVAL) or "").strip())
    seconds = float(found[1]) * (60 if found[2] == "m" else 1) if found else DEFAULT_SECONDS
    return Tracking(number if number in PORTS else DEFAULT_PORT, min(max(seconds, SHORTEST), LONGEST))


def read(text: str | bytes) -> Object | None:
    """A report as the node serves it, without values that cannot be; None for anything that is no report."""
    try:
        document: Any = json.loads(text)
    except ValueError:
        return None
    if not isinstance(document, dict):
        return None
    report: Object = {}
    progress = document.get("progressPercentage")
    if _is_count(progress) and progress <= _WHOLE:
        report["progressPercentage"] = int(progress)
    report |= {name: int(document[name]) for name in _COUNTS if _is_count(document.get(name))}
    if _is_count(document.get("currentEpoch")):
        report["currentEpoch"] = document["currentEpoch"]
    report |= {name: document[name] for name in _METRICS if document.get(name) and isinstance(document[name], dict)}
    return report or None


def running(report: Object, now: datetime) -> str:
    """The annotation while the job trains."""
    remaining = report.get("estimatedRemainingSeconds")
    return _written(report if remaining is None else {**report, _SUMMARY: summary(remaining)}, now)


def is_final(job: Mapping[str, Any]) -> bool:
    """Whether the annotation says already how it ended."""
    try:
        told: Any = json.loads(annotations_of(job).get(PROGRESSION) or "null")
    except ValueError:
        return False
    text = str((told or {}).get(_SUMMARY) or "") if isinstance(told, dict) else ""
    return text.startswith(("complete", "early stopped", "failed at"))


def ended(job: Mapping[str, Any], last: Object | None, succeeded: bool, now: datetime) -> str | None:
    """The annotation once the job has ended; ``last`` is its final report. None where nothing was ever known."""
    report = last or read(annotations_of(job).get(PROGRESSION) or "null")
    if report is None:
        return None
    progress = report.get("progressPercentage", 0)
    if not succeeded:
        return _written({**report, _SUMMARY: f"failed at {progress}%"}, now)
    early = "complete (early stopped)" if last else "early stopped"
    told = "complete" if progress >= _WHOLE else early
    return _written({**report, "estimatedRemainingSeconds": 0, _SUMMARY: told}, now)


def summary(seconds: int) -> str:
    """``2 days 3 hours``, ``5 minutes``, ``less than a minute``: minutes are not told beside days."""
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    counts = [(days, "day"), (hours, "hour"), (0 if days else rest // 60, "minute")]
    parts = [f"{count} {unit}{'s' * (count != 1)}" for count, unit in counts if count]
    return " ".join(parts) or "less than a minute"


def _written(report: Object, now: datetime) -> str:
    return json.dumps({**report, "lastUpdatedTime": timestamps.to_text(now)}, separators=(",", ":"))


def _is_count(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
