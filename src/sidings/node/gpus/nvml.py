"""NVIDIA's driver through NVML (``nvidia-ml-py``: ctypes over the driver's own library, nothing to compile).

Imported only where the driver's library is there. Every figure that a GPU does not support (a virtual GPU, a MIG
parent) is None rather than an error. XIDs that a program can cause by itself are no fault of the device; the list is
the one that NVIDIA's device plugin skips (k8s-device-plugin v0.17, ``internal/rm/health.go``).
"""

from __future__ import annotations

import ctypes
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sidings.node.gpus.in_memory import InMemoryGpus
from sidings.node.gpus.source import Device, Driver, Fault, GpuSource, MigDevice, Reading

log = logging.getLogger(__name__)

PROGRAM_XIDS = frozenset({13, 31, 43, 45, 68, 109})
_NAME = "libnvidia-ml.so"
_LIBRARY = f"{_NAME}.1"
_MAPS = Path("/proc/self/maps")


def gpus_of_this_machine() -> GpuSource:
    """The driver's GPUs, or none where there is no driver or it does not answer (then the log says why)."""
    try:
        ctypes.CDLL(_LIBRARY)
    except OSError:
        return InMemoryGpus()
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        log.warning("the NVIDIA driver does not answer, so there are no GPUs: %s", error)
        return InMemoryGpus()
    return NvmlGpus(pynvml)


class NvmlGpus:
    """A GpuSource over an initialised NVML."""

    def __init__(self, nvml: Any) -> None:
        self._nvml = nvml
        self._folder = folder_by_search_path(_MAPS.read_text(), os.environ.get("LD_LIBRARY_PATH", ""))
        self._handles = [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount())]
        self._devices = tuple(self._device(index, handle) for index, handle in enumerate(self._handles))
        self._lost: set[str] = set()
        self._events = self._watch_for_xids()

    def driver(self) -> Driver:
        cuda = int(self._nvml.nvmlSystemGetCudaDriverVersion_v2())
        version = _text(self._nvml.nvmlSystemGetDriverVersion())
        return Driver(version, f"{cuda // 1000}.{cuda % 1000 // 10}", self._folder)

    def devices(self) -> Sequence[Device]:
        return self._devices

    def readings(self) -> Sequence[Reading]:
        return [self._reading(device, handle) for device, handle in self._known() if device.uuid not in self._lost]

    def faults(self) -> Sequence[Fault]:
        found = self._xids()
        for device, handle in self._known():
            if device.uuid not in self._lost and self._is_lost(handle):
                self._lost.add(device.uuid)
                found.append(Fault(device.uuid, 0))
        return found

    def _known(self) -> list[tuple[Device, Any]]:
        return list(zip(self._devices, self._handles, strict=True))

    def _device(self, index: int, handle: Any) -> Device:
        nvml = self._nvml
        major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
        mode = self._ask(nvml.nvmlDeviceGetMigMode, handle)
        return Device(
            uuid=_text(nvml.nvmlDeviceGetUUID(handle)),
            index=index,
            minor=nvml.nvmlDeviceGetMinorNumber(handle),
            model=_text(nvml.nvmlDeviceGetName(handle)),
            memory_bytes=int(nvml.nvmlDeviceGetMemoryInfo(handle).total),
            compute_capability=(major, minor),
            pci_bus_id=_text(nvml.nvmlDeviceGetPciInfo(handle).busId),
            mig_mode=bool(mode and mode[0] == nvml.NVML_DEVICE_MIG_ENABLE),
            mig=tuple(self._mig_devices(handle)) if mode and mode[0] == nvml.NVML_DEVICE_MIG_ENABLE else (),
        )

    def _mig_devices(self, handle: Any) -> list[MigDevice]:
        found = []
        for slot in range(self._nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
            mig = self._ask(self._nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, slot)
            if mig is None:  # an empty slot
                continue
            name = _text(self._nvml.nvmlDeviceGetName(mig))  # "NVIDIA H200 MIG 1g.18gb"
            memory = int(self._nvml.nvmlDeviceGetMemoryInfo(mig).total)
            found.append(MigDevice(_text(self._nvml.nvmlDeviceGetUUID(mig)), name.rpartition("MIG ")[2], memory))
        return found

    def _reading(self, device: Device, handle: Any) -> Reading:
        nvml, ask = self._nvml, self._ask
        rates = ask(nvml.nvmlDeviceGetUtilizationRates, handle)
        memory = ask(nvml.nvmlDeviceGetMemoryInfo, handle)
        milliwatts = ask(nvml.nvmlDeviceGetPowerUsage, handle)
        return Reading(
            uuid=device.uuid,
            utilization_percent=None if rates is None else float(rates.gpu),
            memory_busy_percent=None if rates is None else float(rates.memory),
            memory_used_bytes=None if memory is None else int(memory.used),
            memory_free_bytes=None if memory is None else int(memory.free),
            temperature_celsius=ask(nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU),
            power_watts=None if milliwatts is None else milliwatts / 1000,
            sm_clock_mhz=ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_SM),
            memory_clock_mhz=ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_MEM),
        )

    def _ask(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """The answer, or None where this GPU has none."""
        try:
            return question(*arguments)
        except self._nvml.NVMLError:
            return None

    def _is_lost(self, handle: Any) -> bool:
        try:
            self._nvml.nvmlDeviceGetMemoryInfo(handle)
        except self._nvml.NVMLError as error:
            return bool(error.value == self._nvml.NVML_ERROR_GPU_IS_LOST)
        return False

    def _watch_for_xids(self) -> Any:
        """An event set, or None where the driver offers none (virtual machines, gVisor)."""
        try:
            events = self._nvml.nvmlEventSetCreate()
            for handle in self._handles:
                self._nvml.nvmlDeviceRegisterEvents(handle, self._nvml.nvmlEventTypeXidCriticalError, events)
        except self._nvml.NVMLError as error:
            log.info("the driver reports no XID events: %s", error)
            return None
        return events

    def _xids(self) -> list[Fault]:
        found: list[Fault] = []
        while self._events is not None:
            try:
                event = self._nvml.nvmlEventSetWait_v2(self._events, 0)
            except self._nvml.NVMLError:  # a timeout of 0 ms: nothing more has happened
                break
            uuid = self._ask(self._nvml.nvmlDeviceGetUUID, event.device)
            if uuid is not None and int(event.eventData) not in PROGRAM_XIDS:
                found.append(Fault(_text(uuid), int(event.eventData)))
        return found


def folder_by_search_path(maps: str, search_path: str) -> str:
    """The entry of ``search_path`` from which the driver's library was loaded, ``""`` if it was found without.

    ``maps`` is what ``/proc/self/maps`` holds. Container images that get the driver mounted (below
    ``/usr/local/nvidia``) find it by LD_LIBRARY_PATH, which pods do not inherit.
    """
    loaded = {Path(line.split(maxsplit=5)[5]).parent for line in maps.splitlines() if _NAME in line}
    for entry in search_path.split(":"):
        if entry and Path(entry).resolve() in {folder.resolve() for folder in loaded}:
            return entry
    return ""


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
