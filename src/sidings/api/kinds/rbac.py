"""Roles and their bindings. What a role allows is ``api/rbac``; a binding's role may never change."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.fields import FieldError, invalid, not_supported, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, Resource

GROUP = "rbac.authorization.k8s.io"
SUBJECTS = ("Group", "ServiceAccount", "User")


class RbacRules(Rules):
    """Names are path segments: ``system:node`` is one."""

    def name_complaints(self, name: str) -> list[str]:
        if name in (".", ".."):
            return [f"may not be '{name}'"]
        return [f"may not contain '{character}'" for character in "/%" if character in name]


class RoleRules(RbacRules):
    def validate(self, obj: Object) -> list[FieldError]:
        errors = []
        for index, rule in enumerate(obj.get("rules") or ()):
            path = f"rules[{index}]"
            if not rule.get("verbs"):
                errors.append(required(f"{path}.verbs", "verbs must contain at least one value"))
            if paths := rule.get("nonResourceURLs"):
                if obj["kind"] == ROLES.kind:
                    detail = "namespaced rules cannot apply to non-resource URLs"
                    errors.append(invalid(f"{path}.nonResourceURLs", paths, detail))
                continue
            if not rule.get("apiGroups"):
                errors.append(required(f"{path}.apiGroups", "resource rules must supply at least one api group"))
            if not rule.get("resources"):
                errors.append(required(f"{path}.resources", "resource rules must supply at least one resource"))
        return errors


class BindingRules(RbacRules):
    def default(self, obj: Object) -> None:
        obj.setdefault("roleRef", {}).setdefault("apiGroup", GROUP)
        for subject in obj.get("subjects") or ():
            if subject.get("kind") in ("User", "Group"):
                subject.setdefault("apiGroup", GROUP)

    def validate(self, obj: Object) -> list[FieldError]:
        errors, role = [], obj["roleRef"]
        cluster_wide = obj["kind"] == CLUSTER_ROLE_BINDINGS.kind
        kinds = [CLUSTER_ROLES.kind, *([] if cluster_wide else [ROLES.kind])]
        if role["apiGroup"] != GROUP:
            errors.append(not_supported("roleRef.apiGroup", role["apiGroup"], [GROUP]))
        if role.get("kind") not in kinds:
            errors.append(not_supported("roleRef.kind", role.get("kind") or "", kinds))
        if not role.get("name"):
            errors.append(required("roleRef.name"))
        for index, subject in enumerate(obj.get("subjects") or ()):
            path = f"subjects[{index}]"
            if not subject.get("name"):
                errors.append(required(f"{path}.name"))
            if subject.get("kind") not in SUBJECTS:
                errors.append(not_supported(f"{path}.kind", subject.get("kind") or "", SUBJECTS))
            elif subject["kind"] == "ServiceAccount" and cluster_wide and not subject.get("namespace"):
                errors.append(required(f"{path}.namespace"))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        if new["roleRef"] == old["roleRef"]:
            return []
        return [invalid("roleRef", new["roleRef"], "cannot change roleRef")]


def _role(obj: Object, now: object) -> str:
    return f"{obj['roleRef'].get('kind')}/{obj['roleRef'].get('name')}"


def _subjects(kind: str) -> Column:
    def cell(obj: Object, now: object) -> str:
        found = [subject for subject in obj.get("subjects") or () if subject.get("kind") == kind]
        names = [
            f"{subject['namespace']}/{subject['name']}" if subject.get("namespace") else str(subject["name"])
            for subject in found
        ]
        return ", ".join(names)

    name = {"ServiceAccount": "ServiceAccounts"}.get(kind, f"{kind}s")
    return Column(name, cell=cell, priority=1, description=f"Its subjects that are a {kind}.")


_ROLE_COLUMNS = (
    columns.NAME,
    Column("Created At", json_path=".metadata.creationTimestamp", description="When it was created."),
)
_BINDING_COLUMNS = (
    columns.NAME,
    Column("Role", cell=_role, description="Kind and name of the role."),
    columns.AGE,
    _subjects("User"),
    _subjects("Group"),
    _subjects("ServiceAccount"),
)


def _kind(resource: Resource, rules: Rules, shown: tuple[Column, ...]) -> Kind:
    return Kind(
        resource=resource,
        singular=resource.kind.lower(),
        schema=schemas.schema(resource.group, resource.version, resource.kind),
        builtin=True,
        rules=rules,
        columns=shown,
        generation=False,
    )


KINDS = (
    _kind(CLUSTER_ROLE_BINDINGS, BindingRules(), _BINDING_COLUMNS),
    _kind(CLUSTER_ROLES, RoleRules(), _ROLE_COLUMNS),
    _kind(ROLE_BINDINGS, BindingRules(), _BINDING_COLUMNS),
    _kind(ROLES, RoleRules(), _ROLE_COLUMNS),
)
