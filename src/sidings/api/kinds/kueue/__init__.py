"""The kinds of Kueue (``kueue.x-k8s.io``, v0.19), each stored as v1beta2 and served as v1beta1 as well."""

from __future__ import annotations

from sidings.api.kinds.kueue import (
    admission_check,
    cluster_queue,
    cohort,
    local_queue,
    resource_flavor,
    topology,
    workload,
    workload_priority_class,
)

KINDS = (
    *admission_check.KINDS,
    *cluster_queue.KINDS,
    *cohort.KINDS,
    *local_queue.KINDS,
    *resource_flavor.KINDS,
    *topology.KINDS,
    *workload.KINDS,
    *workload_priority_class.KINDS,
)
