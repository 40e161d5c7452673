"""Workloads that are the same to the scheduler, so that one refusal speaks for all of them (KEP-9694)."""

from __future__ import annotations

import json
from collections.abc import Hashable

from sidings.queue.workloads import Workload


def shape(workload: Workload) -> Hashable:
    """Equal for workloads whose evaluation in one snapshot cannot differ."""
    return workload.priority, tuple(
        (
            pod_set.name,
            pod_set.count,
            pod_set.min_count,
            tuple(sorted(pod_set.requests.items())),
            pod_set.topology,
            json.dumps(
                [pod_set.pod_spec.get(name) for name in ("nodeSelector", "affinity", "tolerations")], sort_keys=True
            ),
        )
        for pod_set in workload.pod_sets
    )
