"""Under which name a node hands out each of its GPUs and MIG devices: the device plugin's strategies. Pure.

Nobody chooses a strategy here; the layout says which one describes it. Where all units are alike, whole GPUs or MIG
devices of one size, each is one ``nvidia.com/gpu`` (upstream: ``none`` and ``single``). Otherwise a whole GPU is one,
and a MIG device is named by its size, ``nvidia.com/mig-1g.18gb`` (``mixed``), so that a pod gets the size it asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sidings.api import quantity
from sidings.api.objects import Object
from sidings.node.gpus.source import Unit

GPU = "nvidia.com/gpu"
MIG = "nvidia.com/mig-"
"""What the names of MIG devices by size begin with."""
NONE, SINGLE, MIXED = "none", "single", "mixed"


def strategy(units: Sequence[Unit]) -> str:
    """The device plugin's word for the layout of ``units``."""
    sizes = {unit.mig.profile if unit.mig else "" for unit in units}
    if sizes <= {""}:
        return NONE
    return SINGLE if len(sizes) == 1 else MIXED


def by_resource(units: Sequence[Unit]) -> dict[str, tuple[Unit, ...]]:
    """Resource name -> the units of a node that are handed out under it, in their order."""
    mixed = strategy(units) == MIXED
    found: dict[str, tuple[Unit, ...]] = {}
    for unit in units:
        name = mig_resource(unit.mig.profile) if mixed and unit.mig else GPU
        found[name] = (*found.get(name, ()), unit)
    return found


def mig_resource(profile: str) -> str:
    """Of ``1g.18gb+me``: ``nvidia.com/mig-1g.18gb.me``, because a resource has no plus in its name."""
    return MIG + profile.replace("+", ".")


def is_ours(name: str) -> bool:
    """Whether a node's resource is GPUs or MIG devices, now or in an earlier layout."""
    return name == GPU or name.startswith(MIG)


def wanted(container: Object) -> Mapping[str, int]:
    """How many units of each resource the container asks for; those of which it wants none are left out."""
    limits = (container.get("resources") or {}).get("limits") or {}
    counts = {name: quantity.units(amount) for name, amount in limits.items() if is_ours(name)}
    return {name: count for name, count in counts.items() if count}
