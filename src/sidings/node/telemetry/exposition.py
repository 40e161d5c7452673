"""Figures in Prometheus' text format, under the names that dashboards know. Pure.

GPUs as NVIDIA's DCGM exporter (4.x) names them. On OpenShift its labels ``namespace``, ``pod``, ``container`` are those
of the exporter's own pod, and the workload's become ``exported_*``; queries written there work here because we write
them so at once. ``exported_job`` for the same reason: ``job`` is Prometheus' own. Pods as cAdvisor names them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sidings.api import exposition
from sidings.node.gpus.manager import Holder
from sidings.node.gpus.source import Device, Driver, Reading
from sidings.node.telemetry.consumption import Consumption
from sidings.node.telemetry.workload import Workload

_MIB = 2**20


@dataclass(frozen=True)
class PodFigures:
    workload: Workload
    consumed: Consumption


@dataclass(frozen=True)
class GpuFigures:
    device: Device
    reading: Reading
    node: str
    holder: Holder | None = None
    workload: Workload | None = None
    """The holder's."""
    xid: int = 0


def _mebibytes(amount: int | None) -> float | None:
    return None if amount is None else amount // _MIB


_GPU_METRICS: tuple[tuple[str, str, Callable[[GpuFigures], float | None]], ...] = (
    ("DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).", lambda gpu: gpu.reading.sm_clock_mhz),
    ("DCGM_FI_DEV_MEM_CLOCK", "Memory clock frequency (in MHz).", lambda gpu: gpu.reading.memory_clock_mhz),
    ("DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", lambda gpu: gpu.reading.temperature_celsius),
    ("DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", lambda gpu: gpu.reading.power_watts),
    ("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", lambda gpu: gpu.reading.utilization_percent),
    ("DCGM_FI_DEV_MEM_COPY_UTIL", "Memory utilization (in %).", lambda gpu: gpu.reading.memory_busy_percent),
    ("DCGM_FI_DEV_FB_USED", "Frame buffer in use (in MiB).", lambda gpu: _mebibytes(gpu.reading.memory_used_bytes)),
    ("DCGM_FI_DEV_FB_FREE", "Frame buffer free (in MiB).", lambda gpu: _mebibytes(gpu.reading.memory_free_bytes)),
    ("DCGM_FI_DEV_XID_ERRORS", "The last XID error that withdrew the GPU.", lambda gpu: gpu.xid),
)
_POD_METRICS: tuple[tuple[str, str, str, Callable[[PodFigures], float | None]], ...] = (
    (
        "container_cpu_usage_seconds_total", "counter", "CPU time of the pod's processes.",
        lambda pod: pod.consumed.cpu_seconds,
    ),
    (
        "container_memory_rss", "gauge", "Resident memory of the pod's processes that is not shared (in bytes).",
        lambda pod: pod.consumed.memory_bytes,
    ),
    (
        "container_network_receive_bytes_total", "counter", "Bytes that the pod received.",
        lambda pod: pod.consumed.received_bytes,
    ),
    (
        "container_network_transmit_bytes_total", "counter", "Bytes that the pod sent.",
        lambda pod: pod.consumed.sent_bytes,
    ),
)  # fmt: skip


def text(pods: Iterable[PodFigures], gpus: Iterable[GpuFigures], driver: Driver) -> str:
    """All families that have a figure, each with its HELP and TYPE."""
    lines: list[str] = []
    gpus, pods = list(gpus), list(pods)
    for name, help_, figure in _GPU_METRICS:
        lines += exposition.family(name, "gauge", help_, [(_gpu_labels(gpu, driver), figure(gpu)) for gpu in gpus])
    for name, type_, help_, value in _POD_METRICS:
        lines += exposition.family(name, type_, help_, [(_pod_labels(pod.workload), value(pod)) for pod in pods])
    return exposition.text(lines)


def _gpu_labels(gpu: GpuFigures, driver: Driver) -> dict[str, str]:
    device = gpu.device
    labels = {
        "gpu": str(device.index),
        "UUID": device.uuid,
        "pci_bus_id": device.pci_bus_id,
        "device": f"nvidia{device.minor}",
        "modelName": device.model,
        "Hostname": gpu.node,
        "DCGM_FI_DRIVER_VERSION": driver.version,
    }
    if gpu.holder is None or gpu.workload is None:
        return labels
    own = gpu.workload
    return labels | {
        "exported_namespace": own.namespace,
        "exported_pod": own.pod,
        "exported_container": gpu.holder.container,
        **_job_labels(own),
    }


def _pod_labels(own: Workload) -> dict[str, str]:
    return {"namespace": own.namespace, "pod": own.pod, "node": own.node, **_job_labels(own)}


def _job_labels(own: Workload) -> dict[str, str]:
    found = {"exported_job": own.job, "rank": own.rank}
    return {name: value for name, value in found.items() if value}
