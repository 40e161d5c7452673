"""Against a stand-in for the ``pynvml`` module with its names, constants and errors: there is no driver here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from sidings.node.gpus.nvml import NvmlGpus, folder_by_search_path
from sidings.node.gpus.source import Driver, Fault, MigDevice

MIB = 2**20


class NVMLError(Exception):
    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value


class Nvml:
    """Two GPUs, the second in MIG mode with one MIG device; handles are their UUIDs."""

    NVMLError = NVMLError
    NVML_DEVICE_MIG_ENABLE = 1
    NVML_TEMPERATURE_GPU = NVML_CLOCK_SM = 0
    NVML_CLOCK_MEM = 2
    NVML_ERROR_GPU_IS_LOST = 15
    nvmlEventTypeXidCriticalError = 8

    def __init__(self) -> None:
        self.lost: set[str] = set()
        self.events: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        """Every question that this driver does not support."""

        def unsupported(*_: Any) -> Any:
            raise NVMLError(3)

        return unsupported

    def nvmlSystemGetDriverVersion(self) -> str:
        return "580.95.05"

    def nvmlSystemGetCudaDriverVersion_v2(self) -> int:
        return 13000

    def nvmlDeviceGetCount(self) -> int:
        return 2

    def nvmlDeviceGetHandleByIndex(self, index: int) -> str:
        return f"GPU-{index}"

    def nvmlDeviceGetUUID(self, handle: str) -> str:
        return handle

    def nvmlDeviceGetName(self, handle: str) -> bytes:
        return b"NVIDIA H200 MIG 1g.18gb" if handle.startswith("MIG") else b"NVIDIA H200"

    def nvmlDeviceGetMinorNumber(self, handle: str) -> int:
        return int(handle[-1]) + 4

    def nvmlDeviceGetCudaComputeCapability(self, handle: str) -> tuple[int, int]:
        return 9, 0

    def nvmlDeviceGetPciInfo(self, handle: str) -> Any:
        return SimpleNamespace(busId="00000000:01:00.0")

    def nvmlDeviceGetMemoryInfo(self, handle: str) -> Any:
        if handle in self.lost:
            raise NVMLError(self.NVML_ERROR_GPU_IS_LOST)
        return SimpleNamespace(total=1000 * MIB, used=100 * MIB, free=900 * MIB)

    def nvmlDeviceGetMigMode(self, handle: str) -> tuple[int, int]:
        return (1, 1) if handle == "GPU-1" else (0, 0)

    def nvmlDeviceGetMaxMigDeviceCount(self, handle: str) -> int:
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle: str, slot: int) -> str:
        if slot != 2:
            raise NVMLError(6)
        return "MIG-a"

    def nvmlDeviceGetPowerUsage(self, handle: str) -> int:
        return 612250

    def nvmlEventSetCreate(self) -> str:
        return "events"

    def nvmlDeviceRegisterEvents(self, handle: str, kinds: int, events: str) -> None:
        assert kinds == self.nvmlEventTypeXidCriticalError

    def nvmlEventSetWait_v2(self, events: str, milliseconds: int) -> Any:
        if not self.events:
            raise NVMLError(10)
        handle, xid = self.events.pop(0)
        return SimpleNamespace(device=handle, eventData=xid)


def test_devices_are_described_with_their_mig_devices() -> None:
    gpus = NvmlGpus(Nvml())
    first, second = gpus.devices()
    assert (first.uuid, first.index, first.minor, first.model) == ("GPU-0", 0, 4, "NVIDIA H200")
    assert (first.compute_capability, first.memory_bytes, first.mig_mode) == ((9, 0), 1000 * MIB, False)
    assert second.mig == (MigDevice("MIG-a", "1g.18gb", 1000 * MIB),)
    assert gpus.driver() == Driver("580.95.05", "13.0")


def test_what_a_gpu_does_not_tell_is_unknown() -> None:
    reading = NvmlGpus(Nvml()).readings()[0]
    assert (reading.power_watts, reading.memory_used_bytes) == (612.25, 100 * MIB)
    assert (reading.utilization_percent, reading.temperature_celsius) == (None, None)


def test_faults_are_xids_that_no_program_causes_and_gpus_that_are_lost_once() -> None:
    nvml = Nvml()
    gpus = NvmlGpus(nvml)
    nvml.events = [("GPU-0", 31), ("GPU-0", 79)]
    nvml.lost = {"GPU-1"}
    assert gpus.faults() == [Fault("GPU-0", 79), Fault("GPU-1", 0)]
    assert gpus.faults() == []
    assert [reading.uuid for reading in gpus.readings()] == ["GPU-0"]


def test_a_driver_found_by_search_path_is_found_there_by_pods_too() -> None:
    maps = "7f00-7f01 r-xp 00000000 08:01 123   /usr/local/nvidia/lib64/libnvidia-ml.so.580.95.05\n7f-80 r-xp 0 0:0 0\n"
    assert folder_by_search_path(maps, "/x:/usr/local/nvidia/lib64") == "/usr/local/nvidia/lib64"
    assert folder_by_search_path(maps, "/x") == ""
    assert folder_by_search_path("", "/usr/local/nvidia/lib64") == ""
