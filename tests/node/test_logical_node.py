import dataclasses
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from sidings.api.conditions import find, is_true
from sidings.node.limits.enforcement import Enforcement
from sidings.node.logical_node import LogicalNode, NodeConfig, node_object
from sidings.node.machine import MachineReport

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
MACHINE = MachineReport(
    "FullNamespaces", "all of them", 4, 8 * 2**30, Decimal(16), Decimal(64 * 2**30), Enforcement(), 10 * 2**30
)
CONFIG = NodeConfig(python_prefix=Path("/envs/a"))
GPU_NODE = LogicalNode("gpu-1", "8", "32Gi", gpus=2, simulate_gpus=True, labels={"zone": "a"})


def test_a_node_advertises_what_it_was_given() -> None:
    node = node_object(GPU_NODE, 3, MACHINE, CONFIG, NOW)
    expected = {
        "cpu": "8", "memory": "32Gi", "ephemeral-storage": "10485760Ki", "pods": "110", "nvidia.com/gpu": "2",
    }  # fmt: skip
    assert node["status"]["capacity"] == node["status"]["allocatable"] == expected
    assert node["spec"]["podCIDR"] == "10.244.3.0/24"
    assert {"type": "InternalIP", "address": "10.244.3.1"} in node["status"]["addresses"]


def test_labels_are_kubelets_and_gpu_discoverys() -> None:
    labels = node_object(GPU_NODE, 1, MACHINE, CONFIG, NOW)["metadata"]["labels"]
    assert (labels["kubernetes.io/hostname"], labels["kubernetes.io/os"], labels["zone"]) == ("gpu-1", "linux", "a")
    assert (labels["nvidia.com/gpu.present"], labels["nvidia.com/gpu.count"]) == ("true", "2")
    assert labels["sidings.dev/simulated-gpus"] == "true"
    plain = node_object(LogicalNode("n", "1", "1Gi"), 1, MACHINE, CONFIG, NOW)
    assert not [label for label in plain["metadata"]["labels"] if "nvidia" in label]
    assert "nvidia.com/gpu" not in plain["status"]["capacity"]


def test_node_info_has_all_ten_fields() -> None:
    info = node_object(GPU_NODE, 1, MACHINE, CONFIG, NOW)["status"]["nodeInfo"]
    assert set(info) == {
        "machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion",
        "kubeProxyVersion", "operatingSystem", "architecture",
    }  # fmt: skip
    assert all(isinstance(value, str) for value in info.values())


def test_conditions_say_ready_tier_software_and_what_is_promised() -> None:
    node = node_object(GPU_NODE, 1, MACHINE, CONFIG, NOW)
    assert is_true(node, "Ready") and not is_true(node, "MemoryPressure")
    tier = find(node["status"]["conditions"], "sidings.dev/Sandbox")
    software = find(node["status"]["conditions"], "sidings.dev/HostSoftware")
    promised = find(node["status"]["conditions"], "sidings.dev/Overcommitted")
    assert tier is not None and (tier["reason"], tier["message"]) == ("FullNamespaces", "all of them")
    assert software is not None and "/envs/a" in software["message"]
    assert promised is not None and promised["status"] == "True"
    assert promised["message"] == "The nodes advertise 16 cpu and 64.0Gi; this machine has 4 cpu and 8.0Gi"


def test_whether_limits_are_kept_is_said() -> None:
    def shown(found: Enforcement) -> tuple[str, str]:
        report = dataclasses.replace(MACHINE, enforcement=found)
        node = node_object(GPU_NODE, 1, report, CONFIG, NOW)
        condition = find(node["status"]["conditions"], "sidings.dev/ResourceEnforcement")
        assert condition is not None
        return condition["status"], condition["reason"]

    assert shown(Enforcement(2, {"cpu": Path("/x")})) == ("True", "CgroupsV2")
    assert shown(Enforcement(refused="no control groups are mounted")) == ("False", "Polled")
