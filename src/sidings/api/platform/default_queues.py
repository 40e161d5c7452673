"""What OpenShift AI sets up for Kueue where a DataScienceCluster has it ``Unmanaged`` (opendatahub-operator v3.4).

The object of Kueue's operator, a flavor for the nodes and one for each make of GPU they have, one ClusterQueue over all
of it, a LocalQueue in each managed namespace, and the rights of its administrators. Each is made where it is missing
and never changed afterwards: an administrator's edits stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from sidings.api import pod_resources, quantity
from sidings.api.objects import Object, labels_of
from sidings.api.platform.components import MANAGED, SINGLETON, UNMANAGED, Component, state_of
from sidings.api.platform.kueue_configuration import MANAGED_LABEL
from sidings.api.resources import (
    CLUSTER_QUEUES,
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    DATA_SCIENCE_CLUSTERS,
    KUEUE_OPERATORS,
    LOCAL_QUEUES,
    RESOURCE_FLAVORS,
)

LEGACY_LABEL = "kueue-managed"
NOT_MANAGED = {"opendatahub.io/managed": "false"}
"""The annotation of what the platform's operator makes once and then leaves alone."""
DEFAULT_FLAVOR = "default-flavor"
GPU_FLAVORS = {"nvidia.com/gpu": "nvidia-gpu-flavor", "amd.com/gpu": "amd-gpu-flavor"}
FRAMEWORKS = (
    "BatchJob", "JaxJob", "JobSet", "MPIJob", "PaddleJob", "Pod", "PyTorchJob", "TFJob", "TrainJob", "XGBoostJob",
)  # fmt: skip
"""All that run here, in the operator's words."""


QUEUE_ADMIN = "kueue-batch-admin-role"
ADMINISTRATORS = "rhods-admins"
"""The group of OpenShift AI's administrators."""


class Names(NamedTuple):
    """Of the queues, by ``defaultClusterQueueName`` and ``defaultLocalQueueName``."""

    cluster_queue: str
    local_queue: str


def asked_for(clusters: Iterable[Object]) -> Object | None:
    """The DataScienceCluster that wants queues set up, if there is one."""
    return next((it for it in clusters if state_of(it, Component.KUEUE) == UNMANAGED), None)


def names(cluster: Object) -> Names:
    component = cluster["spec"]["components"][Component.KUEUE]
    return Names(
        component.get("defaultClusterQueueName") or "default", component.get("defaultLocalQueueName") or "default"
    )


def operator(cluster: Object) -> Object:
    """Kueue's operator is told to run; it goes with the DataScienceCluster."""
    owner = {
        "apiVersion": DATA_SCIENCE_CLUSTERS.api_version,
        "kind": DATA_SCIENCE_CLUSTERS.kind,
        "name": cluster["metadata"]["name"],
        "uid": cluster["metadata"]["uid"],
    }
    return {
        "apiVersion": KUEUE_OPERATORS.api_version,
        "kind": KUEUE_OPERATORS.kind,
        "metadata": {"name": SINGLETON, "annotations": NOT_MANAGED, "ownerReferences": [owner]},
        "spec": {"managementState": MANAGED, "config": {"integrations": {"frameworks": list(FRAMEWORKS)}}},
    }


def is_ours(operator: Object) -> bool:
    """Whether a DataScienceCluster made it, not a person."""
    owners = operator["metadata"].get("ownerReferences") or ()
    return any(owner["kind"] == DATA_SCIENCE_CLUSTERS.kind for owner in owners)


def queues(cluster: Object, nodes: Sequence[Object]) -> list[Object]:
    """The flavors and the ClusterQueue, whose quota is all that the nodes can give."""
    total: dict[str, Decimal] = {}
    for node in nodes:
        allocatable = (node.get("status") or {}).get("allocatable") or {}
        pod_resources.add(total, {name: quantity.parse(value) for name, value in allocatable.items()})
    gpus = [name for name in GPU_FLAVORS if total.get(name)]
    groups = [_group(DEFAULT_FLAVOR, ("cpu", "memory"), total), *(_group(GPU_FLAVORS[it], (it,), total) for it in gpus)]
    queue = {
        **_made(CLUSTER_QUEUES.api_version, CLUSTER_QUEUES.kind, names(cluster).cluster_queue),
        "spec": {"namespaceSelector": {"matchLabels": {MANAGED_LABEL: "true"}}, "resourceGroups": groups},
    }
    flavors = [DEFAULT_FLAVOR, *(GPU_FLAVORS[it] for it in gpus)]
    return [*(_made(RESOURCE_FLAVORS.api_version, RESOURCE_FLAVORS.kind, flavor) for flavor in flavors), queue]


def administrators() -> Object:
    """OpenShift AI's administrators may do with queues and jobs what they like."""
    role = {"apiGroup": CLUSTER_ROLES.group, "kind": CLUSTER_ROLES.kind, "name": QUEUE_ADMIN}
    group = {"apiGroup": CLUSTER_ROLES.group, "kind": "Group", "name": ADMINISTRATORS}
    made = _made(CLUSTER_ROLE_BINDINGS.api_version, CLUSTER_ROLE_BINDINGS.kind, "kueue-admin-rolebinding")
    return {**made, "roleRef": role, "subjects": [group]}


def local_queue(cluster: Object, namespace: str) -> Object:
    found = names(cluster)
    made = _made(LOCAL_QUEUES.api_version, LOCAL_QUEUES.kind, found.local_queue)
    made["metadata"]["namespace"] = namespace
    return {**made, "spec": {"clusterQueue": found.cluster_queue}}


def is_managed(namespace: Object) -> bool:
    """By either label: the older one counts as well, and each brings the other."""
    return "true" in (labels_of(namespace).get(MANAGED_LABEL), labels_of(namespace).get(LEGACY_LABEL))


def missing_labels(namespace: Object) -> dict[str, str]:
    """The labels that a managed namespace still lacks."""
    labels = labels_of(namespace)
    return {label: "true" for label in (MANAGED_LABEL, LEGACY_LABEL) if label not in labels}


def _made(api_version: str, kind: str, name: str) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "annotations": dict(NOT_MANAGED)}}


def _group(flavor: str, resources: Sequence[str], total: dict[str, Decimal]) -> Object:
    quotas = [
        {"name": name, "nominalQuota": pod_resources.text_of(name, total.get(name, Decimal(0)))} for name in resources
    ]
    return {"coveredResources": list(resources), "flavors": [{"name": flavor, "resources": quotas}]}
