"""Who has which GPU, and which GPUs are withdrawn: kubelet's device manager, for the resources of one vendor.

A container keeps its devices over restarts, and over restarts of the engine: what was handed out is written to
``pods/<uid>/gpus.json`` before the container starts, and goes with the pod. Health is not kept: a reset that mends a
GPU needs nobody on it, so the engine is started anew after it, and then every GPU is trusted again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sidings.node.errors import DevicesExhausted
from sidings.node.gpus.resources import GPU, by_resource
from sidings.node.gpus.source import Fault, GpuSource, Unit

FILE = "gpus.json"
CONTROL_FILES = (
    "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset", "nvidia-caps", "nvidia-caps-imex-channels",
)  # fmt: skip
"""In /dev beside ``nvidia<minor>``: what every CUDA process opens. A pod that has no GPU gets none of it."""


@dataclass(frozen=True)
class Holder:
    """Who has a unit: a pod's uid and one of its containers."""

    pod: str
    container: str


class GpuManager:
    """The GPUs of one agent's nodes."""

    def __init__(self, source: GpuSource, shares: Mapping[str, Sequence[Unit]], pods_root: Path) -> None:
        """``shares``: node name -> its units."""
        self.source = source
        self._shares = {name: tuple(units) for name, units in shares.items()}
        self._units = {unit.uuid: unit for units in self._shares.values() for unit in units}
        self._pods_root = pods_root
        self._held: dict[str, dict[str, tuple[str, ...]]] = {}
        self._faults: dict[str, Fault] = {}

    def adopt(self) -> None:
        """Take up what an earlier engine handed out; call before the first ``claim``."""
        for file in self._pods_root.glob(f"*/{FILE}"):
            held = json.loads(file.read_text())
            self._held[file.parent.name] = {name: tuple(uuids) for name, uuids in held.items()}

    def units(self, node: str) -> tuple[Unit, ...]:
        return self._shares.get(node, ())

    def withdrawn(self, node: str) -> dict[str, str]:
        """uuid -> cause, of the units of ``node`` that get no new work."""
        return {unit.uuid: self._faults[unit.uuid].text for unit in self.units(node) if unit.uuid in self._faults}

    def fault(self, uuid: str) -> Fault | None:
        """What withdrew the unit."""
        return self._faults.get(uuid)

    def nodes_of_devices(self) -> dict[str, str]:
        """A GPU's uuid -> the node that has it, or has its first MIG device."""
        found: dict[str, str] = {}
        for node, units in self._shares.items():
            for unit in units:
                found.setdefault(unit.device.uuid, node)
        return found

    def holders(self) -> dict[str, Holder]:
        """uuid -> who has it."""
        return {
            uuid: Holder(pod, container)
            for pod, containers in self._held.items()
            for container, uuids in containers.items()
            for uuid in uuids
        }

    def claim(
        self, node: str, pod: str, container: str, count: int, reusable: Collection[str] = (), *, resource: str = GPU
    ) -> list[Unit]:
        """``count`` units of ``resource`` for a container, the ones that it has where it has them and they are well.

        ``reusable``: init containers of the pod, whose devices the others may take over, as on a cluster. Raises
        ``DevicesExhausted`` in kubelet's words.
        """
        mine = self._held.get(pod, {})
        offered = by_resource(self.units(node)).get(resource, ())
        names = {unit.uuid for unit in offered}
        known = tuple(uuid for uuid in mine.get(container, ()) if uuid in names)
        if len(known) == count and not any(uuid in self._faults for uuid in known):
            return [self._units[uuid] for uuid in known]
        taken = {
            uuid
            for uuid, holder in self.holders().items()
            if holder.pod != pod or (holder.container != container and holder.container not in reusable)
        }
        free = [unit for unit in offered if unit.uuid not in taken and unit.uuid not in self._faults]
        if len(free) < count:
            raise DevicesExhausted(
                f"Allocate failed due to requested number of devices unavailable for {resource}. "
                f"Requested: {count}, Available: {len(free)}, which is unexpected"
            )
        chosen = free[:count]
        others = tuple(uuid for uuid in mine.get(container, ()) if uuid not in names)
        self._hold(pod, {**mine, container: (*others, *(unit.uuid for unit in chosen))})
        return chosen

    def release(self, pod: str) -> None:
        """The pod's processes are gone, and its devices free."""
        if self._held.pop(pod, None):
            (self._pods_root / pod / FILE).unlink(missing_ok=True)

    def check(self) -> list[Unit]:
        """Ask the driver for faults; the units that are withdrawn from now on. Blocks: call it in a thread."""
        found: list[Unit] = []
        for fault in self.source.faults():
            for unit in self._units.values():
                if fault.uuid in (unit.uuid, unit.device.uuid) and unit.uuid not in self._faults:
                    self._faults[unit.uuid] = fault
                    found.append(unit)
        return found

    def _hold(self, pod: str, containers: dict[str, tuple[str, ...]]) -> None:
        fresh = self._pods_root / pod / f"{FILE}.new"
        fresh.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(containers))
        fresh.replace(fresh.with_name(FILE))
        self._held[pod] = containers


def device_files(units: Sequence[Unit], folder: Path = Path("/dev"), *, linked: bool = False) -> tuple[str, ...]:
    """Names in /dev that a container with these units needs, of those that this machine has.

    ``linked``: the container's GPUs reach those of its peers in other pods. To map a peer's memory CUDA opens the file
    of the peer's GPU, which may be any of the machine's; without it NCCL ends with "invalid device ordinal" (driver
    580, NCCL 2.28.9). CUDA_VISIBLE_DEVICES still says which GPUs the container computes on.
    """
    if not units:
        return ()
    if linked:
        own = sorted(path.name for path in folder.glob("nvidia[0-9]*"))
    else:
        own = sorted({f"nvidia{unit.device.minor}" for unit in units})
    return tuple(name for name in (*own, *CONTROL_FILES) if (folder / name).exists())


def visible_devices(units: Sequence[Unit]) -> dict[str, str]:
    """The variables that say which GPUs a container has, by UUID; without any CUDA sees none.

    ``void`` is the word of NVIDIA's container toolkit for none.
    """
    uuids = ",".join(unit.uuid for unit in units)
    return {"CUDA_VISIBLE_DEVICES": uuids, "NVIDIA_VISIBLE_DEVICES": uuids or "void"}
