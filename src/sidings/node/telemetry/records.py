"""What every pod did, for as long as its job is there.

A pod's figures stay when the pod goes, because a job is looked at when it is over; they go with the job, which is asked
about once a minute after its last pod went. ``MAX_GONE`` bounds what jobs that restart for days leave behind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sidings.node.gpus.source import Device, Reading
from sidings.node.telemetry.consumption import Consumption
from sidings.node.telemetry.report import GpuRecord, PodRecord
from sidings.node.telemetry.workload import Workload

MAX_GONE = 1000
JobKey = tuple[str, str, str]
"""(namespace, kind, name)."""


@dataclass(frozen=True)
class Measurement:
    """One pod at one moment."""

    consumed: Consumption
    gpus: tuple[tuple[Device, Reading], ...] = ()


class Records:
    """The records of all pods by uid, oldest first."""

    def __init__(self, earlier: Iterable[PodRecord] = ()) -> None:
        """``earlier``: what an engine before this one recorded."""
        self._records: dict[str, PodRecord] = {record.workload.uid: record for record in earlier}
        self._before: dict[str, tuple[float, Measurement]] = {}

    def __iter__(self) -> Iterator[PodRecord]:
        return iter(self._records.values())

    def add(self, moment: float, workload: Workload, measured: Measurement) -> None:
        """``moment`` in seconds since the epoch. Rates are over the time since the measurement before."""
        record = self._records.get(workload.uid)
        if record is None:
            record = self._records[workload.uid] = PodRecord(workload, moment)
        then, before = self._before.get(workload.uid, (moment, Measurement(Consumption())))
        self._before[workload.uid] = (moment, measured)
        record.running = True
        record.history.add(moment, _figures(before, measured, moment - then))
        for device, reading in measured.gpus:
            gpu = record.gpus.setdefault(device.uuid, GpuRecord(device.index, device.uuid, device.model))
            gpu.history.add(moment, _gpu_figures(reading))

    def rest(self, running: Collection[str]) -> None:
        """All pods but those with these uids have ended."""
        for uid, record in self._records.items():
            if record.running and uid not in running:
                record.running = False
                record.history.rest()
                for gpu in record.gpus.values():
                    gpu.history.rest()
                self._before.pop(uid, None)

    def jobs_without(self, known: Collection[str]) -> set[JobKey]:
        """Jobs none of whose pods is among ``known`` uids: they may be gone."""
        here = {_key(record.workload) for uid, record in self._records.items() if uid in known}
        return {_key(record.workload) for record in self._records.values()} - here

    def forget(self, gone_jobs: Collection[JobKey], known: Collection[str]) -> None:
        """Drop the records of jobs that are gone, and the oldest of pods that are, where there are too many."""
        self._records = {uid: record for uid, record in self._records.items() if _key(record.workload) not in gone_jobs}
        gone = [uid for uid in self._records if uid not in known]
        for uid in gone[: max(len(gone) - MAX_GONE, 0)]:
            del self._records[uid]


def _key(workload: Workload) -> JobKey:
    return workload.namespace, workload.kind or "Pod", workload.job or workload.pod


def _figures(before: Measurement, now: Measurement, seconds: float) -> Mapping[str, float | None]:
    then, here = before.consumed, now.consumed
    return {
        "cpu": _rate(then.cpu_seconds, here.cpu_seconds, seconds),
        "memory_bytes": here.memory_bytes,
        "received_bytes_per_second": _rate(then.received_bytes, here.received_bytes, seconds),
        "sent_bytes_per_second": _rate(then.sent_bytes, here.sent_bytes, seconds),
    }


def _rate(before: float | None, now: float | None, seconds: float) -> float | None:
    """Of a counter; one that fell belongs to processes that were started anew."""
    if before is None or now is None or seconds <= 0:
        return None
    return max(now - before, 0) / seconds


def _gpu_figures(reading: Reading) -> Mapping[str, float | None]:
    return {
        "utilization_percent": reading.utilization_percent,
        "memory_used_bytes": reading.memory_used_bytes,
        "power_watts": reading.power_watts,
        "sm_clock_mhz": reading.sm_clock_mhz,
        "temperature_celsius": reading.temperature_celsius,
    }
