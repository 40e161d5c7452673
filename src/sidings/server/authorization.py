"""Whether whoever asks may do it: RBAC over the roles and bindings that are stored.

The administrator may do everything and costs no look-up. Everybody else has what roles grant, plus what every cluster
grants to whoever is authenticated: to find out what there is (``system:discovery``) and who they are themselves
(``system:basic-user``). Bindings are read for each request, so a change counts at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sidings.api import rbac
from sidings.api.objects import Object
from sidings.api.rbac import Attributes
from sidings.api.resources import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, Resource
from sidings.api.status import Forbidden, NotFound
from sidings.registry.registry import Registry
from sidings.server.auth import User
from sidings.server.paths import ResourcePath
from sidings.server.requests import Request

MASTERS = "system:masters"
_VERBS = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
FOR_EVERYBODY: tuple[Mapping[str, Any], ...] = (
    {
        "verbs": ["get"],
        "nonResourceURLs": [
            "/",
            "/api",
            "/api/*",
            "/apis",
            "/apis/*",
            "/openapi",
            "/openapi/*",
            "/version",
            "/version/",
        ],
    },
    {
        "verbs": ["create"],
        "apiGroups": ["authorization.k8s.io", "authentication.k8s.io"],
        "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"],
    },
    {"verbs": ["get"], "apiGroups": ["user.openshift.io"], "resources": ["users"], "resourceNames": ["~"]},
)


class Authorizer:
    """Answers from the objects of one registry."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def check(self, user: User, wanted: Attributes) -> None:
        """Raises ``Forbidden`` where ``user`` may not do ``wanted``."""
        if not self.allows(user, wanted):
            raise Forbidden(rbac.refusal(wanted, user.name), name=wanted.name, group=wanted.group, kind=wanted.resource)

    def allows(self, user: User, wanted: Attributes) -> bool:
        return MASTERS in user.groups or rbac.allows(self._granted(user, wanted.namespace), wanted)

    def rules(self, user: User, namespace: str) -> list[Mapping[str, Any]]:
        """All PolicyRules that ``user`` has in ``namespace``."""
        if MASTERS in user.groups:
            return [
                {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
                {"verbs": ["*"], "nonResourceURLs": ["*"]},
            ]
        return list(self._granted(user, namespace))

    def _granted(self, user: User, namespace: str) -> Iterator[Mapping[str, Any]]:
        yield from FOR_EVERYBODY
        for binding in self._list(CLUSTER_ROLE_BINDINGS, ""):
            yield from self._of(binding, user, "")
        if namespace:
            for binding in self._list(ROLE_BINDINGS, namespace):
                yield from self._of(binding, user, namespace)

    def _of(self, binding: Object, user: User, namespace: str) -> Iterator[Mapping[str, Any]]:
        """The rules that ``binding`` gives to ``user``."""
        subjects = binding.get("subjects") or ()
        if not any(rbac.is_subject(subject, user.name, user.groups, namespace) for subject in subjects):
            return
        reference = binding.get("roleRef") or {}
        resource = ROLES if reference.get("kind") == ROLES.kind else CLUSTER_ROLES
        yield from self.rules_of_role(resource, str(reference.get("name")), namespace)

    def rules_of_role(self, resource: Resource, name: str, namespace: str) -> Sequence[Mapping[str, Any]]:
        """The PolicyRules of a role; none for one that is not there."""
        kind = self._registry.catalog.by_plural(*resource[:3])
        assert kind is not None
        try:
            found = self._registry.get(kind, name, namespace if resource == ROLES else "").object
        except NotFound:
            return ()
        return found.get("rules") or ()

    def _list(self, resource: Resource, namespace: str) -> list[Object]:
        kind = self._registry.catalog.by_plural(*resource[:3])
        assert kind is not None
        return [item.object for item in self._registry.list(kind, namespace).items]


def attributes_of(request: Request, path: ResourcePath | None) -> Attributes:
    """What a request wants. To open a session in a pod is to create one, with whichever method it is done."""
    verb = _VERBS.get(request.method, request.method.lower())
    if path is None:
        return Attributes(verb, path=request.path)
    if path.watch or (not path.name and request.query.flag("watch") and verb == "get"):
        verb = "watch"
    elif not path.name:
        verb = {"get": "list", "delete": "deletecollection"}.get(verb, verb)
    if path.subresource in ("exec", "attach", "portforward"):
        verb = "create"
    return Attributes(verb, path.group, path.plural, path.subresource, path.namespace, path.name)
