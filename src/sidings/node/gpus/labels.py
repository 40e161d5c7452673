"""Node labels of real GPUs, as NVIDIA's GPU feature discovery (v0.17) and node feature discovery write them. Pure.

A node whose GPUs differ is labelled by its first one, as there. What belongs to a deployed operator
(``gpu.deploy.*``, ``gfd.timestamp``) is left out: nothing here is deployed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidings.node.gpus.source import Driver, Unit

NFD_PRESENT = "feature.node.kubernetes.io/pci-10de.present"
"""10de is NVIDIA's PCI vendor id; this is the form that OpenShift's NodeFeatureDiscovery makes."""

_FAMILIES = {5: "maxwell", 6: "pascal", 7: "volta", 8: "ampere", 9: "hopper", 10: "blackwell", 12: "blackwell"}
_EXCEPTIONS = {(7, 5): "turing", (8, 9): "ada-lovelace"}


def labels(units: Sequence[Unit], driver: Driver) -> dict[str, str]:
    """The labels of a node with these units; none for a node without."""
    if not units:
        return {}
    first = units[0]
    major, minor = first.device.compute_capability
    product = first.device.model.replace(" ", "-")
    memory = first.device.memory_bytes
    if first.mig is not None:
        product += f"-MIG-{first.mig.profile}"
        memory = first.mig.memory_bytes
    found = {
        "gpu.present": "true",
        "gpu.count": str(len(units)),
        "gpu.product": product,
        "gpu.memory": str(memory // 2**20),
        "gpu.family": family(major, minor),
        "gpu.compute.major": str(major),
        "gpu.compute.minor": str(minor),
        "gpu.replicas": "1",
        "gpu.mode": "compute",
        "gpu.sharing-strategy": "none",
        "mig.capable": "true" if (major, minor) == (8, 0) or major >= 9 else "false",
        "mig.strategy": "single" if first.mig is not None else "none",
        "mps.capable": "false",
        **_versions("cuda.driver-version", driver.version, ("major", "minor", "revision")),
        **_versions("cuda.runtime-version", driver.cuda, ("major", "minor")),
    }
    return {f"nvidia.com/{key}": value for key, value in found.items()} | {NFD_PRESENT: "true"}


def family(major: int, minor: int) -> str:
    """The architecture's name for a compute capability."""
    return _EXCEPTIONS.get((major, minor)) or _FAMILIES.get(major, "undefined")


def _versions(name: str, version: str, parts: Sequence[str]) -> dict[str, str]:
    if not version:
        return {}
    numbers = dict(zip(parts, version.split("."), strict=False))
    return {f"{name}.{part}": number for part, number in numbers.items()} | {f"{name}.full": version}
