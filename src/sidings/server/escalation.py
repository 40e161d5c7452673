"""Nobody gives away rights that they do not have: the check before a role or a binding is stored.

A role may be written by whoever has all of its rules, or may ``escalate`` that role; a binding by whoever has all rules
of its role, or may ``bind`` it (``pkg/registry/rbac/*/policybased``, v1.36). Without this check the right to write
bindings, which the role ``admin`` contains, would be the right to do everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sidings.api import rbac
from sidings.api.objects import Object
from sidings.api.rbac import Attributes
from sidings.api.resources import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, Resource
from sidings.api.status import Forbidden
from sidings.server.auth import User
from sidings.server.authorization import Authorizer

_ROLES, _BINDINGS = (ROLES, CLUSTER_ROLES), (ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS)


class Escalation:
    """Judges the roles and bindings that ``user`` writes."""

    def __init__(self, authorizer: Authorizer, user: User) -> None:
        self._authorizer = authorizer
        self._user = user

    def check(self, resource: Resource, new: Object, old: Object | None) -> None:
        """Raises ``Forbidden`` where ``new``, about to be stored in place of ``old``, gives more than ``user`` has."""
        namespace = new["metadata"].get("namespace") or ""
        if resource in _ROLES:
            if old is not None and new.get("rules") == old.get("rules"):
                return
            name = str(new["metadata"].get("name") or "")
            self._must_hold(resource, new, namespace, "escalate", resource, name, new.get("rules") or ())
        elif resource in _BINDINGS:
            unchanged = old is not None and all(new.get(f) == old.get(f) for f in ("subjects", "roleRef"))
            if unchanged:
                return
            reference = new.get("roleRef") or {}
            role = ROLES if reference.get("kind") == ROLES.kind else CLUSTER_ROLES
            name = str(reference.get("name") or "")
            rules = self._authorizer.rules_of_role(role, name, namespace)
            self._must_hold(resource, new, namespace, "bind", role, name, rules)

    def _must_hold(
        self,
        resource: Resource,
        obj: Object,
        namespace: str,
        verb: str,
        role: Resource,
        role_name: str,
        rules: Sequence[Mapping[str, Any]],
    ) -> None:
        granted = Attributes(verb, role.group, role.plural, "", namespace if role.namespaced else "", role_name)
        if self._authorizer.allows(self._user, granted):
            return
        missing = rbac.uncovered(self._authorizer.rules(self._user, namespace), rules)
        if not missing:
            return
        name = str(obj["metadata"].get("name") or "")
        groups = ", ".join(f'"{group}"' for group in self._user.groups)
        raise Forbidden(
            f'{resource.group_resource} "{name}" is forbidden: user "{self._user.name}" (groups=[{groups}]) is '
            f"attempting to grant RBAC permissions not currently held:\n" + "\n".join(missing),
            name=name,
            group=resource.group,
            kind=resource.plural,
        )
