"""Objects that every cluster has and that manifests take for granted: roles to bind, classes to name.

Roles are those of ``plugin/pkg/auth/authorizer/rbac/bootstrappolicy`` (v1.36), over the kinds that we serve: ``view``
reads everything of a namespace but its secrets and roles, ``edit`` writes it, ``admin`` also hands out rights.
Beside them those that Kueue brings for administrators and users of queues, which nobody has before they are bound.
"""

from __future__ import annotations

from sidings.api.kinds.rbac import GROUP
from sidings.api.objects import Object
from sidings.api.platform.default_queues import QUEUE_ADMIN
from sidings.api.resources import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, PRIORITY_CLASSES, Resource
from sidings.registry.admission.pods import SYSTEM_PRIORITIES
from sidings.server import issuer

READ = ("get", "list", "watch")
WRITE = ("create", "delete", "deletecollection", "patch", "update")
_CORE = (
    "configmaps", "endpoints", "events", "limitranges", "persistentvolumeclaims", "persistentvolumeclaims/status",
    "pods", "pods/log", "pods/status", "resourcequotas", "resourcequotas/status", "serviceaccounts", "services",
    "services/status",
)  # fmt: skip
_EDITED = (
    "configmaps", "events", "persistentvolumeclaims", "pods", "pods/attach", "pods/eviction", "pods/exec",
    "pods/portforward", "secrets", "serviceaccounts", "serviceaccounts/token", "services",
)  # fmt: skip
_JOB_GROUPS = ("batch", "jobset.x-k8s.io", "kubeflow.org", "trainer.kubeflow.org")
_GROUPS = (*_JOB_GROUPS, "policy")


def _rule(verbs: tuple[str, ...], groups: tuple[str, ...], resources: tuple[str, ...]) -> Object:
    return {"verbs": list(verbs), "apiGroups": list(groups), "resources": list(resources)}


_VIEW = [
    _rule(READ, ("",), (*_CORE, "namespaces")),
    _rule(READ, (*_GROUPS, "discovery.k8s.io", "events.k8s.io", "networking.k8s.io"), ("*",)),
]
_EDIT = [
    *_VIEW,
    _rule(READ, ("",), ("secrets",)),
    _rule(WRITE, ("",), _EDITED),
    _rule(WRITE, (*_GROUPS, "networking.k8s.io"), ("*",)),
]
_ADMIN = [
    *_EDIT,
    _rule((*READ, *WRITE), (GROUP,), ("rolebindings", "roles")),
]
_QUEUE_USER = [
    _rule(READ, ("kueue.x-k8s.io",), ("localqueues", "localqueues/status", "workloads", "workloads/status")),
    _rule(("get",), ("visibility.kueue.x-k8s.io",), ("localqueues/pendingworkloads",)),
    _rule((*READ, *WRITE), _JOB_GROUPS, ("*",)),
]
_QUEUE_ADMIN = [
    _rule((*READ, *WRITE), ("kueue.x-k8s.io",), ("*",)),
    _rule(("get",), ("visibility.kueue.x-k8s.io",), ("*",)),
    _rule((*READ, *WRITE), _JOB_GROUPS, ("*",)),
]
_EVERYTHING = [
    _rule(("*",), ("*",), ("*",)),
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
]
_ISSUER = [{"verbs": ["get"], "nonResourceURLs": list(issuer.PATHS)}]
ISSUER_DISCOVERY = "system:service-account-issuer-discovery"
_BOUND = {"cluster-admin": "system:masters", ISSUER_DISCOVERY: "system:serviceaccounts"}
"""Roles that a group has from the start."""


def default_objects() -> list[tuple[Resource, Object]]:
    """All of them, each with the resource that it is of."""
    roles = {"cluster-admin": _EVERYTHING, "admin": _ADMIN, "edit": _EDIT, "view": _VIEW, ISSUER_DISCOVERY: _ISSUER}
    labels = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    found: list[tuple[Resource, Object]] = [
        (CLUSTER_ROLES, {"metadata": {"name": name, "labels": labels}, "rules": rules}) for name, rules in roles.items()
    ]
    for name, rules in {QUEUE_ADMIN: _QUEUE_ADMIN, "kueue-batch-user-role": _QUEUE_USER}.items():
        found.append((CLUSTER_ROLES, {"metadata": {"name": name}, "rules": rules}))
    for role, group in _BOUND.items():
        binding: Object = {
            "metadata": {"name": role, "labels": labels},
            "roleRef": {"apiGroup": GROUP, "kind": CLUSTER_ROLES.kind, "name": role},
            "subjects": [{"apiGroup": GROUP, "kind": "Group", "name": group}],
        }
        found.append((CLUSTER_ROLE_BINDINGS, binding))
    for name, value in SYSTEM_PRIORITIES.items():
        found.append((PRIORITY_CLASSES, {"metadata": {"name": name}, "value": value}))
    typed = []
    for resource, obj in found:
        typed.append((resource, {"apiVersion": resource.api_version, "kind": resource.kind, **obj}))
    return typed
