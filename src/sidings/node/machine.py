"""This machine: the facts that Node objects state, beside what its logical nodes promise.

Nodes may advertise more than there is; the report says so, in numbers, on every node.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import sidings
from sidings.api import quantity
from sidings.api.objects import Object
from sidings.node.limits.enforcement import Enforcement
from sidings.node.sandbox import identity

KUBELET_VERSION = f"v1.36.0-sidings.{sidings.__version__}"
"""The Kubernetes minor version whose rules the agent follows; clients parse the part before the dash."""

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "ppc64le": "ppc64le", "s390x": "s390x"}


@dataclass(frozen=True)
class MachineReport:
    """What all nodes of an agent say about the machine below them."""

    tier: str
    """Which sandbox tier the agent runs, a condition's reason."""
    tier_message: str
    cores: int
    memory_bytes: int
    promised_cores: Decimal
    """Sum over all nodes of the agent."""
    promised_bytes: Decimal
    enforcement: Enforcement
    disk_bytes: int = 0
    """Size of the file system on which pods write; all nodes of the agent share it."""
    engine: str = ""
    """``podman://4.3.1`` where a container engine runs the pods."""

    @property
    def overcommitted(self) -> bool:
        return self.promised_cores > self.cores or self.promised_bytes > self.memory_bytes

    @property
    def promise(self) -> str:
        return (
            f"The nodes advertise {self.promised_cores.normalize():f} cpu and {_gibibytes(self.promised_bytes)}; "
            f"this machine has {self.cores} cpu and {_gibibytes(self.memory_bytes)}"
        )


def report(
    tier: str,
    tier_message: str,
    cpu: Iterable[str],
    memory: Iterable[str],
    enforcement: Enforcement,
    state_dir: Path,
    engine: str = "",
) -> MachineReport:
    """The facts of this machine beside what its nodes promise: one quantity each. Pods write below ``state_dir``."""
    disk = os.statvfs(state_dir)
    return MachineReport(
        tier,
        tier_message,
        os.cpu_count() or 1,
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        sum(map(quantity.parse, cpu), Decimal()),
        sum(map(quantity.parse, memory), Decimal()),
        enforcement,
        disk.f_blocks * disk.f_frsize,
        engine,
    )


def node_info(engine: str = "") -> Object:
    """The ten required fields of ``NodeSystemInfo``; Python clients refuse a list with one of them absent."""
    machine_id = _first_line("/etc/machine-id") or "unknown"
    return {
        "machineID": machine_id,
        "systemUUID": machine_id,
        "bootID": identity.boot_id(),
        "kernelVersion": os.uname().release,
        "osImage": _os_image(),
        "containerRuntimeVersion": engine or f"sidings://{sidings.__version__}",
        "kubeletVersion": KUBELET_VERSION,
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": architecture(),
    }


def architecture() -> str:
    machine = os.uname().machine
    return _ARCHITECTURES.get(machine, machine)


def _os_image() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:  # no os-release file, as in some minimal containers
        return "Linux"


def _gibibytes(amount: int | Decimal) -> str:
    return f"{amount / 2**30:.1f}Gi"


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except FileNotFoundError:
        return ""
