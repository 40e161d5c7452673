"""Which jobs a queue holds: those that name one, in namespaces that are managed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sidings.api import selectors

SYSTEM_NAMESPACES = ("kube-system", "kueue-system")
NAMESPACE_NAME = "kubernetes.io/metadata.name"


def _default_namespaces() -> Mapping[str, Any]:
    return {"matchExpressions": [{"key": NAMESPACE_NAME, "operator": "NotIn", "values": list(SYSTEM_NAMESPACES)}]}


@dataclass(frozen=True)
class Management:
    """``managedJobsNamespaceSelector`` and ``manageJobsWithoutQueueName`` of Kueue's configuration (v0.19)."""

    namespaces: Mapping[str, Any] = field(default_factory=_default_namespaces)
    without_queue_name: bool = False

    def covers(self, namespace_labels: Mapping[str, str]) -> bool:
        """Whether jobs of a namespace with these labels are managed at all."""
        return selectors.matches(self.namespaces, namespace_labels)
