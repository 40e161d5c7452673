"""Labels, annotations and the finalizer of Jobs and their pods (k8s.io/api/batch/v1, Kubernetes 1.36)."""

from __future__ import annotations

from sidings.api import objects
from sidings.api.objects import Object

JOB_NAME = "batch.kubernetes.io/job-name"
CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
LEGACY_JOB_NAME = "job-name"
LEGACY_CONTROLLER_UID = "controller-uid"

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
"""Label and annotation of a pod of an Indexed Job."""
INDEX_FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count"
INDEX_IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count"

TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking"
"""Keeps a pod's object until the Job has counted how it ended."""

COMPLETION_INDEX_ENV = "JOB_COMPLETION_INDEX"

OWN_MANAGER = "kubernetes.io/job-controller"
"""``spec.managedBy`` of a Job that this controller runs; absent means the same."""


def generated(job: Object) -> dict[str, str]:
    """The labels by which the pods of ``job`` are its own, in the order in which upstream looks at them."""
    # A Job without a name is refused for it only later.
    name, uid = job["metadata"].get("name") or "", objects.uid_of(job)
    return {LEGACY_CONTROLLER_UID: uid, LEGACY_JOB_NAME: name, CONTROLLER_UID: uid, JOB_NAME: name}
