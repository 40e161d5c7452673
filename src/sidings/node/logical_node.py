"""A node is a logical slice of this machine: a name, an address range, advertised resources and simulated devices.

Several logical nodes share one agent. What a node advertises may be more than the machine has (``machine``
says so). Labels follow kubelet, and for GPUs NVIDIA's GPU feature discovery.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from sidings.api import timestamps
from sidings.api.objects import Object
from sidings.node import machine, network
from sidings.node.gpus.resources import GPU, by_resource
from sidings.node.gpus.source import Unit
from sidings.node.machine import MachineReport
from sidings.node.sandbox.tier import Choice

SIMULATED_GPUS_LABEL = "sidings.dev/simulated-gpus"
SIMULATED_GPU_PRODUCT = "Simulated"
SANDBOX_CONDITION = "sidings.dev/Sandbox"
RESOURCE_ENFORCEMENT_CONDITION = "sidings.dev/ResourceEnforcement"
HOST_SOFTWARE_CONDITION = "sidings.dev/HostSoftware"
OVERCOMMITTED_CONDITION = "sidings.dev/Overcommitted"
GPUS_CONDITION = "sidings.dev/GPUs"
SANDBOX = "sandbox"
DEFAULT_MAX_PODS = 110
"""kubelet's default of ``--max-pods``."""


@dataclass(frozen=True)
class LogicalNode:
    """One Node object. ``cpu`` and ``memory`` are quantities (``"8"``, ``"64Gi"``), advertised as they are."""

    name: str
    cpu: str
    memory: str
    gpus: int = 0
    """How many are advertised: simulated ones, or as many as ``units``."""
    simulate_gpus: bool = False
    max_pods: int = DEFAULT_MAX_PODS
    labels: Mapping[str, str] = field(default_factory=dict)
    units: tuple[Unit, ...] = ()
    """The real GPUs (or MIG devices) behind ``gpus``."""


@dataclass(frozen=True)
class NodeConfig:
    """How one agent runs pods."""

    runtime: str = SANDBOX
    """``sandbox``: processes on this machine's software; else the container engine that runs them from images."""
    python_prefix: Path = field(default_factory=lambda: Path(sys.prefix))
    """The Python environment that containers get whose image matches none of ``images``."""
    images: tuple[tuple[str, Path], ...] = ()
    """(glob over the image reference, prefix of a Python environment); the first match wins."""
    masked: tuple[Path, ...] = ()
    """Paths hidden from pods besides the user's credentials and the agent's own state: ``$SIDINGS_HOME``."""
    tier: Choice = Choice.AUTO
    """What pods are to have of their own; the best that works unless a user or a test says otherwise."""
    heartbeat_seconds: float = 10.0
    """How often node status is posted; kubelet's ``--node-status-update-frequency``."""
    storage_check_seconds: float = 10.0
    """How often the disk that a limited pod uses is measured; kubelet's monitoring interval of evictions."""
    volume_refresh_seconds: float = 10.0
    """How often it is looked whether the files of a pod's volumes are what the API has now; kubelet takes a minute."""
    log_max_bytes: int = 10 * 1024 * 1024
    """kubelet's ``containerLogMaxSize``."""
    log_max_files: int = 5
    """kubelet's ``containerLogMaxFiles``."""


def node_object(
    node: LogicalNode,
    number: int,
    report: MachineReport,
    config: NodeConfig,
    now: datetime,
    withdrawn: Mapping[str, str] = MappingProxyType({}),
) -> Object:
    """The Node as it is registered; ``number`` (from 1) selects its address range.

    ``withdrawn``: UUIDs of its GPUs that get no new work, with the cause.
    """
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": node.name,
            "labels": labels(node),
            "annotations": {"sidings.dev/python-prefix": str(config.python_prefix)},
        },
        "spec": {"podCIDR": network.pod_range(number), "podCIDRs": [network.pod_range(number)]},
        "status": node_status(node, number, report, config, now, withdrawn),
    }


def labels(node: LogicalNode) -> dict[str, str]:
    arch = machine.architecture()
    found = {
        "kubernetes.io/hostname": node.name,
        "kubernetes.io/arch": arch,
        "kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": arch,
        "beta.kubernetes.io/os": "linux",
    }
    if node.gpus and node.simulate_gpus:
        found |= {
            "nvidia.com/gpu.present": "true",
            "nvidia.com/gpu.count": str(node.gpus),
            "nvidia.com/gpu.product": SIMULATED_GPU_PRODUCT,
            SIMULATED_GPUS_LABEL: "true",
        }
    return found | dict(node.labels)


def node_status(
    node: LogicalNode,
    number: int,
    report: MachineReport,
    config: NodeConfig,
    now: datetime,
    withdrawn: Mapping[str, str],
) -> Object:
    resources = {
        "cpu": node.cpu,
        "memory": node.memory,
        "ephemeral-storage": f"{report.disk_bytes // 1024}Ki",
        "pods": str(node.max_pods),
    }
    gpus = by_resource(node.units) if node.units else {}
    if node.gpus and not gpus:
        resources[GPU] = str(node.gpus)
    resources |= {name: str(len(units)) for name, units in gpus.items()}
    healthy = {name: sum(unit.uuid not in withdrawn for unit in units) for name, units in gpus.items()}
    allocatable = resources | {name: str(count) for name, count in healthy.items()}
    moment = timestamps.to_text(now)
    return {
        "capacity": resources,
        "allocatable": allocatable,
        "conditions": [
            *conditions(report, config, now),
            *([gpu_condition(node, withdrawn, moment)] if node.units else []),
        ],
        "addresses": [
            {"type": "InternalIP", "address": network.node_address(number)},
            {"type": "Hostname", "address": node.name},
        ],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
        "nodeInfo": machine.node_info(report.engine),
    }


def conditions(report: MachineReport, config: NodeConfig, now: datetime) -> list[Object]:
    """kubelet's conditions (reasons and messages of v1.36), and our own that say what is not like a cluster."""
    moment = timestamps.to_text(now)
    facts = (
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
        (SANDBOX_CONDITION, "True", report.tier, report.tier_message),
        (
            RESOURCE_ENFORCEMENT_CONDITION,
            "True" if report.enforcement.parents else "False",
            report.enforcement.reason,
            report.enforcement.message,
        ),
        (
            OVERCOMMITTED_CONDITION,
            "True" if report.overcommitted else "False",
            "MoreThanTheMachineHas" if report.overcommitted else "WithinTheMachine",
            report.promise,
        ),
        _software(report, config),
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


def _software(report: MachineReport, config: NodeConfig) -> tuple[str, str, str, str]:
    if report.engine:
        engine, _, version = report.engine.partition("://")
        text = f"Containers run from their images, by {engine} {version}"
        return HOST_SOFTWARE_CONDITION, "False", "ImagesRun", text
    text = f"Container images are not pulled: pods run this machine's software with {config.python_prefix}"
    return HOST_SOFTWARE_CONDITION, "True", "ImagesNotPulled", text


def gpu_condition(node: LogicalNode, withdrawn: Mapping[str, str], moment: str) -> Object:
    """Whether all real GPUs of the node take work, and if not which and why."""
    causes = [f"{unit.uuid}: {withdrawn[unit.uuid]}" for unit in node.units if unit.uuid in withdrawn]
    message = f"withdrawn: {'; '.join(causes)} (to mend it: nvidia-smi --gpu-reset, then sidings down and up)"
    return {
        "type": GPUS_CONDITION,
        "status": "False" if causes else "True",
        "reason": "GPUsWithdrawn" if causes else "AllHealthy",
        "message": message if causes else f"{len(node.units)} GPU(s) take work",
        "lastHeartbeatTime": moment,
        "lastTransitionTime": moment,
    }
