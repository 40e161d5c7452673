"""How the server learns who waits for a queue: the scheduler knows, ``host`` hands it over."""

from __future__ import annotations

from typing import Protocol

from sidings.api.objects import Object

GROUP = "visibility.kueue.x-k8s.io"
VERSIONS = ("v1beta2", "v1beta1")


class PendingWorkloads(Protocol):
    """Items of ``PendingWorkloadsSummary`` (Kueue v0.19), first come first; positions count from 0."""

    def of_cluster_queue(self, name: str) -> list[Object]:
        """Raises ``NotFound``."""
        ...

    def of_local_queue(self, namespace: str, name: str) -> list[Object]:
        """Raises ``NotFound``."""
        ...
