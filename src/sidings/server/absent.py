"""Kinds that a cluster has and that are never run here: named, so that clients which look for them go on.

``kubectl apply --prune`` lists every kind of its own allow list and fails where one is unknown, and ``kubectl get
deployments`` is better answered by "none" than by an error. Making one is refused with what to make instead.
"""

from __future__ import annotations

from sidings.api.kind import Kind
from sidings.api.resources import Resource
from sidings.api.status import MethodNotAllowed
from sidings.registry.listing import Page

RESOURCES = (
    Resource("", "v1", "replicationcontrollers", "ReplicationController"),
    Resource("apps", "v1", "controllerrevisions", "ControllerRevision"),
    Resource("apps", "v1", "daemonsets", "DaemonSet"),
    Resource("apps", "v1", "deployments", "Deployment"),
    Resource("apps", "v1", "replicasets", "ReplicaSet"),
    Resource("apps", "v1", "statefulsets", "StatefulSet"),
    Resource("networking.k8s.io", "v1", "ingresses", "Ingress"),
)
SHORT_NAMES = {
    "replicationcontrollers": ("rc",),
    "controllerrevisions": (),
    "daemonsets": ("ds",),
    "deployments": ("deploy",),
    "replicasets": ("rs",),
    "statefulsets": ("sts",),
    "ingresses": ("ing",),
}
VERBS = ("list",)
INSTEAD = "make a Pod, Job, JobSet or TrainJob, and a Service to reach it"


def kind_of(resource: Resource) -> Kind:
    return Kind(resource, resource.kind.lower(), {}, builtin=True)


def listed(resource: Resource, method: str, name: str, version: str) -> Page:
    """No objects, as of ``version``; raises ``MethodNotAllowed`` for anything but a list."""
    if method == "GET" and not name:
        return Page([], version)
    raise MethodNotAllowed(
        f"{resource.group_resource} are not run by this engine: {INSTEAD}",
        name=name,
        group=resource.group,
        kind=resource.plural,
    )
