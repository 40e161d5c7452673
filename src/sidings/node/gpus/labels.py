"""Node labels of real GPUs, as NVIDIA's GPU feature discovery (v0.17) and node feature discovery write them. Pure.

A node whose GPUs differ is labelled by its first one, as there; MIG devices of several sizes (``resources.strategy``
``mixed``) have labels of their own for each size, beside those of the GPUs that they are on. What belongs to a deployed
operator (``gpu.deploy.*``, ``gfd.timestamp``) is left out: nothing here is deployed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidings.node.gpus.resources import MIXED, SINGLE, by_resource, strategy
from sidings.node.gpus.source import Driver, MigDevice, Unit

NFD_PRESENT = "feature.node.kubernetes.io/pci-10de.present"
"""10de is NVIDIA's PCI vendor id; this is the form that OpenShift's NodeFeatureDiscovery makes."""

_BEGINNINGS = tuple(f"nvidia.com/{name}" for name in ("gpu.", "mig.", "mig-", "mps.", "cuda."))
_FAMILIES = {5: "maxwell", 6: "pascal", 7: "volta", 8: "ampere", 9: "hopper", 10: "blackwell", 12: "blackwell"}
_EXCEPTIONS = {(7, 5): "turing", (8, 9): "ada-lovelace"}


def labels(units: Sequence[Unit], driver: Driver) -> dict[str, str]:
    """The labels of a node with these units; none for a node without."""
    if not units:
        return {}
    first = units[0]
    major, minor = first.device.compute_capability
    layout = strategy(units)
    product, memory, count = _model(first), first.device.memory_bytes, len(units)
    if layout == SINGLE and first.mig is not None:
        product, memory = _mig_product(first, first.mig), first.mig.memory_bytes
    elif layout == MIXED:
        count = len({unit.device.uuid for unit in units})
    found = {
        "gpu.present": "true",
        "gpu.count": str(count),
        "gpu.product": product,
        "gpu.memory": str(memory // 2**20),
        "gpu.family": family(major, minor),
        "gpu.compute.major": str(major),
        "gpu.compute.minor": str(minor),
        "gpu.replicas": "1",
        "gpu.mode": "compute",
        "gpu.sharing-strategy": "none",
        "mig.capable": "true" if (major, minor) == (8, 0) or major >= 9 else "false",
        "mig.strategy": layout,
        "mps.capable": "false",
        **_versions("cuda.driver-version", driver.version, ("major", "minor", "revision")),
        **_versions("cuda.runtime-version", driver.cuda, ("major", "minor")),
    }
    sizes = _sizes(units) if layout == MIXED else {}
    return {f"nvidia.com/{key}": value for key, value in found.items()} | sizes | {NFD_PRESENT: "true"}


def is_ours(label: str) -> bool:
    """Whether this module writes labels of this name, for some layout of some GPUs."""
    return label == NFD_PRESENT or label.startswith(_BEGINNINGS)


def _sizes(units: Sequence[Unit]) -> dict[str, str]:
    """Labels of each size of MIG devices, named like its resource."""
    found: dict[str, str] = {}
    for resource, alike in by_resource(units).items():
        first = alike[0]
        if first.mig is not None:
            compute, gpu = _slices(first.mig.profile)
            facts = {
                "product": _mig_product(first, first.mig),
                "count": str(len(alike)),
                "memory": str(first.mig.memory_bytes // 2**20),
                "slices.gi": gpu,
                "slices.ci": compute,
                "replicas": "1",
                "sharing-strategy": "none",
            }
            found |= {f"{resource}.{key}": value for key, value in facts.items()}
    return found


def _slices(profile: str) -> tuple[str, str]:
    """(compute slices, GPU slices) of ``1c.3g.40gb``: one of three; of ``3g.40gb``: all three."""
    parts = {part[-1]: part[:-1] for part in profile.split(".")[:-1]}
    return parts.get("c", parts["g"]), parts["g"]


def _model(unit: Unit) -> str:
    return unit.device.model.replace(" ", "-")


def _mig_product(unit: Unit, mig: MigDevice) -> str:
    return f"{_model(unit)}-MIG-{mig.profile}"


def family(major: int, minor: int) -> str:
    """The architecture's name for a compute capability."""
    return _EXCEPTIONS.get((major, minor)) or _FAMILIES.get(major, "undefined")


def _versions(name: str, version: str, parts: Sequence[str]) -> dict[str, str]:
    if not version:
        return {}
    numbers = dict(zip(parts, version.split("."), strict=False))
    return {f"{name}.{part}": number for part, number in numbers.items()} | {f"{name}.full": version}
