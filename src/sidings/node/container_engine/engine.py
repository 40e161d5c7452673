"""A container engine as the processes of a pod reach it: a program, and what it must be given to find its images.

Plain data, which goes with a pod to its shim; ``discovery`` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PODMAN, DOCKER = "podman", "docker"
STATE_LABEL = "sidings.dev/state"
"""On every container: the state directory of the agent that made it, so that no agent touches another's."""
POD_LABEL = "sidings.dev/pod-uid"


@dataclass(frozen=True)
class ContainerEngine:
    """``name`` is ``podman`` or ``docker``; ``flags`` come before every command of ``program``."""

    name: str
    program: str
    environment: Mapping[str, str]
    state: str
    """The agent's state directory, the value of ``STATE_LABEL``."""
    flags: tuple[str, ...] = ()
    open_files: int = 0
    """The most that a container may be given here."""

    @property
    def shares_memory(self) -> bool:
        """Whether all pods of a job can have one /dev/shm."""
        return self.name == PODMAN

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> ContainerEngine:
        return ContainerEngine(**{**value, "flags": tuple(value["flags"])})

    def command(self, *words: str) -> list[str]:
        return [self.program, *self.flags, *words]
