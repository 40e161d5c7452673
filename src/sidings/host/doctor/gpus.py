"""The GPUs of this machine and their driver, and whether torch can use them."""

from __future__ import annotations

import importlib.metadata
from collections import Counter
from pathlib import Path

from sidings.host.doctor.finding import Finding, ok, problem, warning
from sidings.node.gpus.source import GpuSource

GPUS, TORCH = "gpus", "torch"
DRIVER = Path("/proc/driver/nvidia/version")


def examine(source: GpuSource, driver: Path = DRIVER) -> Finding:
    """``driver``: the file by which the kernel's part of the driver shows itself."""
    if devices := source.devices():
        found = source.driver()
        models = ", ".join(f"{count} x {model}" for model, count in Counter(d.model for d in devices).items())
        return ok(GPUS, f"{models}; driver {found.version}, CUDA up to {found.cuda}")
    if driver.exists():
        return problem(GPUS, "the NVIDIA driver is loaded but its library NVML does not answer", "nvidia-smi")
    return ok(GPUS, "none; pods run on CPUs (`sidings up --gpus-per-node 1 --simulate-gpus` pretends)")


def torch_version() -> str:
    """Of the environment that pods get by default; "" where it has none. Not imported: that takes seconds."""
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return ""


def judge_torch(version: str, source: GpuSource) -> Finding:
    """``version`` as pip has it, with what it was built for: ``2.11.0+cu130``."""
    if not version:
        return warning(TORCH, "not installed in the environment that pods get by default", "pip install torch")
    build = version.partition("+")[2]
    if not source.devices():
        return ok(TORCH, version)
    if build == "cpu":
        return problem(TORCH, f"{version} cannot use GPUs", "pip install --force-reinstall torch")
    supported = source.driver().cuda
    if build.startswith("cu") and int(build[2:-1]) > int(supported.partition(".")[0]):
        text = f"{version} needs CUDA {build[2:-1]}.{build[-1]}, the driver supports {supported}"
        return problem(TORCH, text, f"pip install --force-reinstall torch   (a build for CUDA {supported} or older)")
    return ok(TORCH, version)
