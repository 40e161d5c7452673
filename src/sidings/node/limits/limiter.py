"""The limits of one agent's containers: found out once, then given to each as it starts and cleared after it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.node.limits import enforcement
from sidings.node.limits.enforcement import Enforcement
from sidings.node.limits.requirements import groups, requirements
from sidings.node.sandbox import process_count
from sidings.node.sandbox.cgroups import Group

POLLED_PIDS = 4096
"""OpenShift's number, less than ``requirements.PIDS``: it has to be well below what all containers can have together,
or no look would ever find it passed."""


class Hold(NamedTuple):
    """How one container is kept to its limits: by control groups, or by a look at it every second (0: no need)."""

    groups: tuple[Group, ...]
    polled_memory: int
    polled_processes: int = 0


class Limiter:
    """For the agent at ``state_dir``."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self.enforcement = Enforcement()

    def probe(self) -> Enforcement:
        self.enforcement = enforcement.probe(self._state_dir)
        return self.enforcement

    def hold(self, pod_uid: str, container: Object) -> Hold:
        wanted = requirements(container)
        made = groups(wanted, f"{pod_uid}_{container['name']}", self.enforcement)
        kept = self.enforcement.parents
        processes = 0 if "pids" in kept else min(POLLED_PIDS, process_count.ceiling() // 2)
        return Hold(made, 0 if "memory" in kept else wanted.memory or 0, processes)

    def forget(self, pod_uid: str) -> None:
        """Remove what a supervisor that was killed has left of the pod."""
        enforcement.forget(self._state_dir, pod_uid)
