"""The seam to a GPU driver: which devices there are, what they do now, and what went wrong with them.

Two implementations: ``nvml.NvmlGpus`` asks the driver, ``in_memory.InMemoryGpus`` is told. All calls block for
milliseconds (a driver in trouble: longer), so callers on an event loop make them in a thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class MigDevice:
    """A slice of a GPU in MIG mode; ``profile`` is the driver's name of its size, ``1g.10gb``."""

    uuid: str
    profile: str
    memory_bytes: int


@dataclass(frozen=True)
class Device:
    """One GPU. ``index`` is nvidia-smi's, ``minor`` the number of its file ``/dev/nvidia<minor>``."""

    uuid: str
    index: int
    minor: int
    model: str
    memory_bytes: int
    compute_capability: tuple[int, int]
    pci_bus_id: str
    mig_mode: bool = False
    mig: tuple[MigDevice, ...] = ()


@dataclass(frozen=True)
class Unit:
    """What a pod asks for one of: a whole GPU, or a MIG device of one. ``uuid`` is what CUDA_VISIBLE_DEVICES takes."""

    uuid: str
    device: Device
    mig: MigDevice | None = None


@dataclass(frozen=True)
class Reading:
    """What one GPU does at a moment; None where the driver does not tell."""

    uuid: str
    utilization_percent: float | None = None
    """Share of the last second or so in which a kernel ran; a kernel that waits for others counts."""
    memory_busy_percent: float | None = None
    memory_used_bytes: int | None = None
    memory_free_bytes: int | None = None
    temperature_celsius: float | None = None
    power_watts: float | None = None
    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None


@dataclass(frozen=True)
class Fault:
    """A GPU that must not get new work; ``xid`` is 0 where the driver has lost the device altogether."""

    uuid: str
    xid: int

    @property
    def text(self) -> str:
        return f"XID {self.xid}" if self.xid else "lost"


@dataclass(frozen=True)
class Driver:
    """Versions as the driver spells them: ``580.95.05``, ``13.0``; empty where there is no driver."""

    version: str = ""
    cuda: str = ""
    folder: str = ""
    """Where its libraries lie, if the loader finds them only by ``LD_LIBRARY_PATH``: pods need it there too."""


class GpuSource(Protocol):
    """A GPU driver."""

    def driver(self) -> Driver: ...

    def devices(self) -> Sequence[Device]:
        """All GPUs in the driver's order; the same as long as the machine runs."""
        ...

    def readings(self) -> Sequence[Reading]:
        """What each GPU does now; a GPU that cannot be asked is left out."""
        ...

    def faults(self) -> Sequence[Fault]:
        """What went wrong since the last call."""
        ...


def units(devices: Sequence[Device]) -> tuple[Unit, ...]:
    """What there is to hand out. A GPU in MIG mode runs nothing by itself: its MIG devices are what counts."""
    found: list[Unit] = []
    for device in devices:
        if device.mig_mode:
            found += [Unit(mig.uuid, device, mig) for mig in device.mig]
        else:
            found.append(Unit(device.uuid, device))
    return tuple(found)
