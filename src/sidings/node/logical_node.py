"""A node is a logical slice of this machine: a name, an address range, advertised resources and simulated devices.

Several logical nodes share one agent. What a node advertises may be more than the machine has; nothing here measures
the machine except for the facts in ``nodeInfo``. Labels follow kubelet, and for GPUs NVIDIA's GPU feature discovery.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import sidings
from sidings.api import quantity, timestamps
from sidings.api.objects import Object
from sidings.node import network

GPU = "nvidia.com/gpu"
SIMULATED_GPUS_LABEL = "sidings.dev/simulated-gpus"
SIMULATED_GPU_PRODUCT = "Simulated"
SANDBOX_CONDITION = "sidings.dev/Sandbox"
HOST_SOFTWARE_CONDITION = "sidings.dev/HostSoftware"
OVERCOMMITTED_CONDITION = "sidings.dev/Overcommitted"
KUBELET_VERSION = f"v1.36.0-sidings.{sidings.__version__}"
"""The Kubernetes minor version whose rules the agent follows; clients parse the part before the dash."""
DEFAULT_MAX_PODS = 110
"""kubelet's default of ``--max-pods``."""

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "ppc64le": "ppc64le", "s390x": "s390x"}


@dataclass(frozen=True)
class LogicalNode:
    """One Node object. ``cpu`` and ``memory`` are quantities (``"8"``, ``"64Gi"``), advertised as they are."""

    name: str
    cpu: str
    memory: str
    gpus: int = 0
    simulate_gpus: bool = False
    max_pods: int = DEFAULT_MAX_PODS
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NodeConfig:
    """How one agent runs pods."""

    python_prefix: Path = field(default_factory=lambda: Path(sys.prefix))
    """The Python environment that containers get whose image matches none of ``images``."""
    images: tuple[tuple[str, Path], ...] = ()
    """(glob over the image reference, prefix of a Python environment); the first match wins."""
    masked: tuple[Path, ...] = ()
    """Paths hidden from pods besides the user's credentials and the agent's own state: ``$SIDINGS_HOME``."""
    heartbeat_seconds: float = 10.0
    """How often node status is posted; kubelet's ``--node-status-update-frequency``."""
    log_max_bytes: int = 10 * 1024 * 1024
    """kubelet's ``containerLogMaxSize``."""
    log_max_files: int = 5
    """kubelet's ``containerLogMaxFiles``."""


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

    @property
    def overcommitted(self) -> bool:
        return self.promised_cores > self.cores or self.promised_bytes > self.memory_bytes

    @property
    def promise(self) -> str:
        return (
            f"The nodes advertise {self.promised_cores:f} cpu and {_gibibytes(self.promised_bytes)}; "
            f"this machine has {self.cores} cpu and {_gibibytes(self.memory_bytes)}"
        )


def machine_report(tier: str, tier_message: str, nodes: Iterable[LogicalNode]) -> MachineReport:
    """The facts of this machine beside what ``nodes`` promise together."""
    nodes = tuple(nodes)
    return MachineReport(
        tier,
        tier_message,
        os.cpu_count() or 1,
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        sum((quantity.parse(node.cpu) for node in nodes), Decimal()),
        sum((quantity.parse(node.memory) for node in nodes), Decimal()),
    )


def node_object(node: LogicalNode, number: int, machine: MachineReport, config: NodeConfig, now: datetime) -> Object:
    """The Node as it is registered; ``number`` (from 1) selects its address range."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": node.name,
            "labels": labels(node),
            "annotations": {"sidings.dev/python-prefix": str(config.python_prefix)},
        },
        "spec": {"podCIDR": network.pod_range(number), "podCIDRs": [network.pod_range(number)]},
        "status": node_status(node, number, machine, config, now),
    }


def labels(node: LogicalNode) -> dict[str, str]:
    arch = _architecture()
    found = {
        "kubernetes.io/hostname": node.name,
        "kubernetes.io/arch": arch,
        "kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": arch,
        "beta.kubernetes.io/os": "linux",
    }
    if node.gpus:
        found |= {
            "nvidia.com/gpu.present": "true",
            "nvidia.com/gpu.count": str(node.gpus),
            "nvidia.com/gpu.product": SIMULATED_GPU_PRODUCT,
        }
        if node.simulate_gpus:
            found[SIMULATED_GPUS_LABEL] = "true"
    return found | dict(node.labels)


def node_status(node: LogicalNode, number: int, machine: MachineReport, config: NodeConfig, now: datetime) -> Object:
    resources = {
        "cpu": node.cpu,
        "memory": node.memory,
        "pods": str(node.max_pods),
    }
    if node.gpus:
        resources[GPU] = str(node.gpus)
    return {
        "capacity": dict(resources),
        "allocatable": dict(resources),
        "conditions": conditions(machine, config, now),
        "addresses": [
            {"type": "InternalIP", "address": network.node_address(number)},
            {"type": "Hostname", "address": node.name},
        ],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
        "nodeInfo": node_info(),
    }


def conditions(machine: MachineReport, config: NodeConfig, now: datetime) -> list[Object]:
    """kubelet's conditions (reasons and messages of v1.36), and our own that say what is not like a cluster."""
    moment = timestamps.to_text(now)
    facts = (
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
        (SANDBOX_CONDITION, "True", machine.tier, machine.tier_message),
        (
            OVERCOMMITTED_CONDITION,
            "True" if machine.overcommitted else "False",
            "MoreThanTheMachineHas" if machine.overcommitted else "WithinTheMachine",
            machine.promise,
        ),
        (
            HOST_SOFTWARE_CONDITION,
            "True",
            "ImagesNotPulled",
            f"Container images are not pulled: pods run this machine's software with {config.python_prefix}",
        ),
    )
    return [
        {
            "type": type_,
            "status": status,
            "reason": reason,
            "message": message,
            "lastHeartbeatTime": moment,
            "lastTransitionTime": moment,
        }
        for type_, status, reason, message in facts
    ]


def node_info() -> Object:
    """The ten required fields of ``NodeSystemInfo``; Python clients refuse a list with one of them absent."""
    machine_id = _first_line("/etc/machine-id") or "unknown"
    return {
        "machineID": machine_id,
        "systemUUID": machine_id,
        "bootID": boot_id(),
        "kernelVersion": os.uname().release,
        "osImage": platform.freedesktop_os_release().get("PRETTY_NAME", "Linux"),
        "containerRuntimeVersion": f"sidings://{sidings.__version__}",
        "kubeletVersion": KUBELET_VERSION,
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": _architecture(),
    }


def boot_id() -> str:
    """The kernel's id of this boot: a pid means something only together with it."""
    return _first_line("/proc/sys/kernel/random/boot_id")


def _architecture() -> str:
    machine = os.uname().machine
    return _ARCHITECTURES.get(machine, machine)


def _gibibytes(amount: int | Decimal) -> str:
    return f"{amount / 2**30:.1f}Gi"


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except FileNotFoundError:
        return ""
