"""GPUs that exist in memory only: a machine without a driver has none of them, a test as many as it likes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sidings.node.gpus.source import Device, Driver, Fault, MigDevice, Reading

GIB = 2**30
H200_MEMORY_BYTES = 143771 * 2**20
"""What an H200 reports (driver 580)."""


class InMemoryGpus:
    """A GpuSource that says what it was told; without devices, the driver of a machine that has none."""

    def __init__(self, devices: Iterable[Device] = (), driver: Driver | None = None) -> None:
        self._devices = tuple(devices)
        self._driver = driver or Driver()
        self._readings: dict[str, Reading] = {device.uuid: Reading(device.uuid) for device in self._devices}
        self._faults: list[Fault] = []

    def driver(self) -> Driver:
        return self._driver

    def devices(self) -> Sequence[Device]:
        return self._devices

    def readings(self) -> Sequence[Reading]:
        return tuple(self._readings.values())

    def faults(self) -> Sequence[Fault]:
        found, self._faults = self._faults, []
        return found

    def show(self, *readings: Reading) -> None:
        """What the named GPUs read from now on."""
        self._readings |= {reading.uuid: reading for reading in readings}

    def fail(self, fault: Fault) -> None:
        self._faults.append(fault)


def h200(index: int) -> Device:
    """An H200 with a name of its own."""
    return Device(
        uuid=f"GPU-{index:08d}-0000-4000-8000-000000000000",
        index=index,
        minor=index,
        model="NVIDIA H200",
        memory_bytes=H200_MEMORY_BYTES,
        compute_capability=(9, 0),
        pci_bus_id=f"00000000:{index + 1:02X}:00.0",
    )


def h200_in_mig_mode(index: int, *profiles: str) -> Device:
    """An H200 cut into MIG devices of these sizes, ``1g.18gb``; each has the memory that its size says."""
    mig = tuple(
        MigDevice(f"MIG-{index:08d}-0000-4000-8000-{slot:012d}", profile, _gigabytes(profile) * GIB)
        for slot, profile in enumerate(profiles)
    )
    return replace(h200(index), mig_mode=True, mig=mig)


def _gigabytes(profile: str) -> int:
    return int(profile.partition("gb")[0].rpartition(".")[2])
