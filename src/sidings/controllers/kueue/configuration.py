"""What a cluster's administrator decides for Kueue: the part of its Configuration that changes what happens here.

Defaults are those of Kueue v0.19. Times are in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sidings.api.kueue.management import Management
from sidings.queue.preemption import Config


@dataclass(frozen=True)
class RequeuingBackoff:
    """``waitForPodsReady.requeuingStrategy``; ``limit``: retries until a workload is deactivated, None for no limit."""

    base: float = 60.0
    longest: float = 3600.0
    limit: int | None = None

    def delay(self, count: int) -> float:
        """Before the ``count``-th retry, from 1: it doubles each time."""
        return float(min(self.base * 2 ** (count - 1), self.longest))


@dataclass(frozen=True)
class WaitForPodsReady:
    """On by default since v0.19."""

    enabled: bool = True
    timeout: float = 1800.0
    recovery_timeout: float = 1800.0
    block_admission: bool = False
    backoff: RequeuingBackoff = field(default_factory=RequeuingBackoff)


@dataclass(frozen=True)
class Configuration:
    """Everything; ``management`` says which jobs are held at all."""

    management: Management = field(default_factory=Management)
    wait_for_pods_ready: WaitForPodsReady = field(default_factory=WaitForPodsReady)
    scheduling: Config = field(default_factory=Config)
