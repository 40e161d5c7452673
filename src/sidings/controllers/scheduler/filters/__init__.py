"""Why a pod may not run on a node: one rule per file.

A filter is ``(pod, node state) -> reasons``: an empty list where the node will do. The reasons are upstream's words
(kube-scheduler v1.36, ``pkg/scheduler/framework/plugins``), because people search for them.
"""

from __future__ import annotations

from collections.abc import Callable

from sidings.api.objects import Object
from sidings.controllers.scheduler.filters import affinity, fit, ports, selector, taints, unschedulable
from sidings.controllers.scheduler.snapshot import NodeState

Filter = Callable[[Object, NodeState], list[str]]

FILTERS: tuple[Filter, ...] = (
    unschedulable.reasons,
    selector.reasons,
    affinity.reasons,
    taints.reasons,
    ports.reasons,
    fit.reasons,
)
"""In upstream's order; the first filter with a reason speaks for the node. Last comes ``pod_affinity``, which looks at
other pods and is therefore made anew for each pod."""
