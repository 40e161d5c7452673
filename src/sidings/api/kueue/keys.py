"""Labels, annotations, finalizers and scheduling gates of Kueue (pkg/controller/constants and apis/kueue, v0.19)."""

from __future__ import annotations

# On jobs.
QUEUE_NAME = "kueue.x-k8s.io/queue-name"
PRIORITY_CLASS = "kueue.x-k8s.io/priority-class"
MAX_EXECUTION_SECONDS = "kueue.x-k8s.io/max-exec-time-seconds"
PREBUILT_WORKLOAD = "kueue.x-k8s.io/prebuilt-workload-name"
MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"
COMPLETIONS_EQUAL_PARALLELISM = "kueue.x-k8s.io/job-completions-equal-parallelism"
ADMISSION_GATED_BY = "kueue.x-k8s.io/admission-gated-by"
"""On jobs and their Workloads: names, by commas, of those who have to take theirs away before it queues."""
STOPPING = "kueue.x-k8s.io/stopping"
"""Kept on a batch/v1 Job from its stop until its start time is reset."""

# On pod templates, for topology-aware scheduling.
REQUIRED_TOPOLOGY = "kueue.x-k8s.io/podset-required-topology"
PREFERRED_TOPOLOGY = "kueue.x-k8s.io/podset-preferred-topology"
UNCONSTRAINED_TOPOLOGY = "kueue.x-k8s.io/podset-unconstrained-topology"
SLICE_REQUIRED_TOPOLOGY = "kueue.x-k8s.io/podset-slice-required-topology"
SLICE_SIZE = "kueue.x-k8s.io/podset-slice-size"
SLICE_CONSTRAINTS = "kueue.x-k8s.io/podset-slice-required-topology-constraints"
POD_SET_GROUP = "kueue.x-k8s.io/podset-group-name"

# On pods that are started.
MANAGED = "kueue.x-k8s.io/managed"
"""Label of pods that Kueue starts one by one, and their finalizer."""
POD_SET = "kueue.x-k8s.io/podset"
LOCAL_QUEUE = "kueue.x-k8s.io/local-queue-name"
CLUSTER_QUEUE = "kueue.x-k8s.io/cluster-queue-name"
WORKLOAD = "kueue.x-k8s.io/workload"
ADMISSION_GATE = "kueue.x-k8s.io/admission"
TOPOLOGY_GATE = "kueue.x-k8s.io/topology"

# Pod groups.
POD_GROUP = "kueue.x-k8s.io/pod-group-name"
POD_GROUP_TOTAL = "kueue.x-k8s.io/pod-group-total-count"
POD_GROUP_FAST_ADMISSION = "kueue.x-k8s.io/pod-group-fast-admission"
POD_GROUP_INDEX = "kueue.x-k8s.io/pod-group-pod-index"
ROLE_HASH = "kueue.x-k8s.io/role-hash"
RETRIABLE_IN_GROUP = "kueue.x-k8s.io/retriable-in-group"
IS_GROUP_WORKLOAD = "kueue.x-k8s.io/is-group-workload"

# On Workloads.
JOB_UID = "kueue.x-k8s.io/job-uid"
RESOURCE_IN_USE = "kueue.x-k8s.io/resource-in-use"
"""Finalizer of flavors, queues and workloads."""

MANAGER = "kueue.x-k8s.io/manager"
"""Who Kueue is in a TrainJob's ``spec.runtimePatches``."""
DEFAULT_LOCAL_QUEUE = "default"
"""A LocalQueue of this name serves all jobs of its namespace that name none."""
