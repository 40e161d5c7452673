"""Which jobs a queue holds: those that name one, of kinds and in namespaces that are managed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sidings.api import selectors
from sidings.api.kueue.frameworks import Frameworks
from sidings.api.objects import Object, labels_of

SYSTEM_NAMESPACES = ("kube-system", "kueue-system")
NAMESPACE_NAME = "kubernetes.io/metadata.name"


def _default_namespaces() -> Mapping[str, Any]:
    return {"matchExpressions": [{"key": NAMESPACE_NAME, "operator": "NotIn", "values": list(SYSTEM_NAMESPACES)}]}


@dataclass(frozen=True)
class Management:
    """``managedJobsNamespaceSelector``, ``manageJobsWithoutQueueName`` and ``integrations`` of the configuration.

    ``copied_labels`` are the ``integrations.labelKeysToCopy``: labels of a job that its Workload gets when it is made.
    """

    namespaces: Mapping[str, Any] = field(default_factory=_default_namespaces)
    without_queue_name: bool = False
    frameworks: Frameworks = field(default_factory=Frameworks)
    copied_labels: tuple[str, ...] = ()

    def covers(self, namespace_labels: Mapping[str, str]) -> bool:
        """Whether jobs of a namespace with these labels are managed at all."""
        return self._selector.matches(namespace_labels)

    @cached_property
    def _selector(self) -> selectors.LabelSelector:
        return selectors.LabelSelector.from_object(self.namespaces)

    def labels_to_copy(self, job: Object) -> dict[str, str]:
        """The labels that the Workload of ``job`` gets from it."""
        labels = labels_of(job)
        return {key: labels[key] for key in self.copied_labels if key in labels}
