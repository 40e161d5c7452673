"""Records on disk, so that a job's history outlives the engine that began it, like the job's pods do.

A file that cannot be read (another version's, a torn disk) costs the history and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from sidings.node.telemetry.history import History, Series
from sidings.node.telemetry.report import GpuRecord, PodRecord
from sidings.node.telemetry.workload import Workload

log = logging.getLogger(__name__)

VERSION = 1


def dump(records: Iterable[PodRecord]) -> bytes:
    """Everything but what goes on right now."""
    pods = [
        {
            "workload": asdict(record.workload),
            "began": record.began,
            "history": _history(record.history),
            "gpus": [
                {"index": gpu.index, "uuid": gpu.uuid, "model": gpu.model, "history": _history(gpu.history)}
                for gpu in record.gpus.values()
            ],
        }
        for record in records
    ]
    return msgspec.json.encode({"version": VERSION, "pods": pods})


def load(data: bytes) -> list[PodRecord]:
    """What ``dump`` wrote; none of the pods runs, until it is measured again. Raises ``ValueError``."""
    try:
        state = msgspec.json.decode(data)
        if state["version"] != VERSION:
            raise ValueError(f"version {state['version']}")
        return [
            PodRecord(
                Workload(**pod["workload"]),
                pod["began"],
                running=False,
                history=_history_of(pod["history"]),
                gpus={
                    gpu["uuid"]: GpuRecord(gpu["index"], gpu["uuid"], gpu["model"], _history_of(gpu["history"]))
                    for gpu in pod["gpus"]
                },
            )
            for pod in state["pods"]
        ]
    except (msgspec.DecodeError, KeyError, TypeError) as error:
        raise ValueError(str(error)) from error


def write(file: Path, data: bytes) -> None:
    """Atomic; where the disk refuses, the log says so."""
    fresh = file.with_suffix(".new")
    try:
        fresh.write_bytes(data)
        fresh.replace(file)
    except OSError as error:
        log.warning("the history of jobs is not saved: %s", error)


def read(file: Path) -> list[PodRecord]:
    """The records in ``file``; none where there is no such file or it cannot be understood."""
    try:
        return load(file.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        log.warning("the history of earlier jobs in %s is lost: %s", file, error)
        return []


def _history(history: History) -> dict[str, Any]:
    return {name: series.to_json() for name, series in history.series.items()}


def _history_of(value: dict[str, Any]) -> History:
    return History({name: Series.from_json(series) for name, series in value.items()})
