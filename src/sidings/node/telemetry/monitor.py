"""The sampler of one agent: measures all its pods and GPUs at an interval and answers with what it found.

Measuring is I/O and is made in a thread (a driver in trouble may take seconds); what was found is taken over on the
event loop, so nothing here needs a lock. Without pods and GPUs it costs nothing.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidings.api.resources import JOB_SETS, JOBS
from sidings.api.status import ApiError, NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.node.gpus.manager import GpuManager
from sidings.node.gpus.source import Device, Reading
from sidings.node.telemetry import consumption, exposition, report, saving
from sidings.node.telemetry.consumption import Consumption
from sidings.node.telemetry.exposition import GpuFigures, PodFigures
from sidings.node.telemetry.records import JobKey, Measurement, Records
from sidings.node.telemetry.workload import Workload

log = logging.getLogger(__name__)

INTERVAL_SECONDS = 2.0
FORGET_EVERY = 30
"""Measurements between two looks for jobs that are gone."""
SAVE_EVERY = 10
"""Measurements of which an engine that is killed may lose the last."""
_RESOURCES = {"JobSet": JOB_SETS, "Job": JOBS}


@dataclass(frozen=True)
class Target:
    """A pod that runs: whose it is, and the process below which all of it is (its shim)."""

    workload: Workload
    pid: int


@dataclass(frozen=True)
class _Found:
    consumed: Mapping[int, Consumption]
    readings: Mapping[str, Reading]


class Monitor:
    """Implements ``api.telemetry.Telemetry``."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        gpus: GpuManager,
        targets: Callable[[], Collection[Target]],
        known: Callable[[], Collection[str]],
        file: Path,
    ) -> None:
        """``targets``: the pods that run now. ``known``: uids of all pods that still have an object.

        ``file`` is where the records are kept for the next engine.
        """
        self._client = client
        self._clock = clock
        self._gpus = gpus
        self._targets = targets
        self._known = known
        self._file = file
        self._records = Records()
        self._pods: list[PodFigures] = []
        self._gpu_figures: list[GpuFigures] = []

    async def run(self) -> None:
        """Measure until cancelled. Whatever goes wrong with it is logged: pods do not depend on being measured."""
        self._records = Records(saving.read(self._file))
        try:
            for turn in itertools.count(1):
                try:
                    await self._turn(turn)
                except Exception:
                    log.exception("measuring failed, again in %.0f s", INTERVAL_SECONDS)
                await self._clock.sleep(INTERVAL_SECONDS)
        finally:
            saving.write(self._file, saving.dump(self._records))

    async def _turn(self, turn: int) -> None:
        await self.measure()
        if turn % FORGET_EVERY == 0:
            await self.forget()
        if turn % SAVE_EVERY == 0:
            await asyncio.to_thread(saving.write, self._file, saving.dump(self._records))

    async def measure(self) -> None:
        """Measure once and take it over."""
        targets = list(self._targets())
        devices = self._gpus.source.devices()
        if targets or devices:
            found = await asyncio.to_thread(self._look, [target.pid for target in targets])
        else:
            found = _Found({}, {})
        self._take_over(targets, devices, found)

    async def forget(self) -> None:
        """Drop the figures of jobs that no longer exist."""
        known = self._known()
        gone = {job for job in self._records.jobs_without(known) if await self._is_gone(job)}
        self._records.forget(gone, known)

    def exposition(self) -> str:
        return exposition.text(self._pods, self._gpu_figures, self._gpus.source.driver())

    def jobs(self, namespace: str = "", *, course: bool = False) -> list[dict[str, Any]]:
        return report.jobs(self._records, namespace, course=course)

    def _look(self, pids: Collection[int]) -> _Found:
        """The part that blocks."""
        readings = {reading.uuid: reading for reading in self._gpus.source.readings()}
        return _Found(consumption.measure(pids), readings)

    def _take_over(self, targets: Collection[Target], devices: Iterable[Device], found: _Found) -> None:
        moment = self._clock.now().timestamp()
        holders, nodes = self._gpus.holders(), self._gpus.nodes_of_devices()
        workloads = {target.workload.uid: target.workload for target in targets}
        read = [(device, found.readings[device.uuid]) for device in devices if device.uuid in found.readings]
        for target in targets:
            uid = target.workload.uid
            mine = tuple(
                (device, reading)
                for device, reading in read
                if (holder := holders.get(device.uuid)) is not None and holder.pod == uid
            )
            consumed = found.consumed.get(target.pid, Consumption())
            self._records.add(moment, target.workload, Measurement(consumed, mine))
        self._records.rest(workloads)
        self._pods = [
            PodFigures(target.workload, found.consumed[target.pid])
            for target in targets
            if target.pid in found.consumed
        ]
        self._gpu_figures = []
        for device, reading in read:
            holder, fault = holders.get(device.uuid), self._gpus.fault(device.uuid)
            workload = workloads.get(holder.pod) if holder else None
            xid = fault.xid if fault else 0
            node = nodes.get(device.uuid, "")
            self._gpu_figures.append(GpuFigures(device, reading, node, holder, workload, xid))

    async def _is_gone(self, job: JobKey) -> bool:
        namespace, kind, name = job
        resource = _RESOURCES.get(kind)
        if resource is None:  # a pod of its own, or of an owner whose kind is not ours: its pods are all there is
            return True
        try:
            await self._client.get(resource, name, namespace)
        except NotFound:
            return True
        except ApiError as error:
            log.info("%s %s/%s cannot be looked up: %s", kind, namespace, name, error)
        return False
