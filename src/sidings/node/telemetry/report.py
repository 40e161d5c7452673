"""Figures by job, as ``GET /telemetry/v1/jobs`` and ``sidings top -o json`` give them. Pure.

For every figure what it is now, its mean over the last half minute, and its mean and peak over the pod's life; the
first two are absent once the pod has ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sidings.node.telemetry.history import History
from sidings.node.telemetry.workload import Workload


@dataclass
class GpuRecord:
    """What a GPU did while a pod had it."""

    index: int
    uuid: str
    model: str
    history: History = field(default_factory=History)


@dataclass
class PodRecord:
    """What a pod did so far."""

    workload: Workload
    began: float
    running: bool = True
    history: History = field(default_factory=History)
    gpus: dict[str, GpuRecord] = field(default_factory=dict)


def jobs(records: Iterable[PodRecord], namespace: str = "", *, course: bool = False) -> list[dict[str, Any]]:
    """Jobs in the order of their names; ``namespace`` ``""`` is all. A pod without a job is a job of kind Pod.

    With ``course`` every figure has its ``[moment, mean since the one before]`` over the pod's life.
    """
    found: dict[tuple[str, str, str], list[PodRecord]] = {}
    for record in records:
        own = record.workload
        if not namespace or own.namespace == namespace:
            found.setdefault((own.namespace, own.kind or "Pod", own.job or own.pod), []).append(record)
    return [
        {
            "namespace": place,
            "kind": kind,
            "name": name,
            "ranks": [_rank(record, course) for record in sorted(pods, key=_order)],
        }
        for (place, kind, name), pods in sorted(found.items())
    ]


def _order(record: PodRecord) -> tuple[str, int, str, float]:
    own = record.workload
    return own.part, int(own.rank or -1), own.pod, record.began


def _rank(record: PodRecord, course: bool) -> dict[str, Any]:
    own = record.workload
    return {
        "part": own.part,
        "rank": own.rank,
        "pod": own.pod,
        "node": own.node,
        "running": record.running,
        "figures": record.history.summary(course=course),
        "gpus": [
            {"index": gpu.index, "uuid": gpu.uuid, "model": gpu.model, "figures": gpu.history.summary(course=course)}
            for gpu in sorted(record.gpus.values(), key=lambda gpu: gpu.index)
        ],
    }
