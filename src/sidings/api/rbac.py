"""What a role allows: the rules of ``rbac.authorization.k8s.io`` over a request, as a pure function.

Follows ``k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac`` and ``pkg/apis/rbac/v1/evaluation_helpers.go`` (v1.36).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

ALL = "*"
SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:"


class Attributes(NamedTuple):
    """What somebody wants to do: ``verb`` on a resource, or on ``path`` where that is given."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def qualified(self) -> str:
        """``pods`` or ``pods/log``."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def allows(rules: Iterable[Mapping[str, Any]], wanted: Attributes) -> bool:
    """Whether any of the PolicyRules allows ``wanted``."""
    return any(_allows(rule, wanted) for rule in rules)


def _allows(rule: Mapping[str, Any], wanted: Attributes) -> bool:
    if not _has(rule.get("verbs"), wanted.verb):
        return False
    if wanted.path:
        return any(_covers(pattern, wanted.path) for pattern in rule.get("nonResourceURLs") or ())
    names = rule.get("resourceNames") or ()
    return (
        _has(rule.get("apiGroups"), wanted.group)
        and _has_resource(rule.get("resources") or (), wanted)
        and (not names or wanted.name in names)
    )


def _has(values: Sequence[str] | None, value: str) -> bool:
    return bool(values) and (ALL in (values or ()) or value in (values or ()))


def _has_resource(resources: Sequence[str], wanted: Attributes) -> bool:
    if ALL in resources or wanted.qualified in resources:
        return True
    return bool(wanted.subresource) and f"{ALL}/{wanted.subresource}" in resources


def _covers(pattern: str, path: str) -> bool:
    return pattern == path or (pattern.endswith(ALL) and path.startswith(pattern[:-1]))


def uncovered(held: Sequence[Mapping[str, Any]], rules: Iterable[Mapping[str, Any]]) -> list[str]:
    """The parts of ``rules`` that ``held`` does not contain, as kube-apiserver prints them; empty if it has it all.

    A rule is taken apart into one verb on one thing each, because several held rules may cover it together.
    """
    missing: dict[str, list[str]] = {}
    for rule in rules:
        names = rule.get("resourceNames") or ("",)
        for what, wanted in _parts(rule):
            for verb in rule.get("verbs") or ():
                for name in names:
                    one = wanted._replace(verb=verb, name=name)
                    if not any(_allows(each, one) for each in held):
                        shown = f'{what[:-1]}, ResourceNames:["{name}"]{what[-1]}' if name else what
                        missing.setdefault(shown, []).append(f'"{verb}"')
    return [f"{what[:-1]}, Verbs:[{' '.join(verbs)}]{what[-1]}" for what, verbs in sorted(missing.items())]


def _parts(rule: Mapping[str, Any]) -> Iterator[tuple[str, Attributes]]:
    """Each single thing that ``rule`` is about, as it is printed and as a request for it."""
    for group in rule.get("apiGroups") or ():
        for resource in rule.get("resources") or ():
            plural, _, subresource = resource.partition("/")
            yield f'{{APIGroups:["{group}"], Resources:["{resource}"]}}', Attributes("", group, plural, subresource)
    for path in rule.get("nonResourceURLs") or ():
        yield f'{{NonResourceURLs:["{path}"]}}', Attributes("", path=path)


def is_subject(subject: Mapping[str, Any], user: str, groups: Iterable[str], namespace: str) -> bool:
    """Whether a binding's subject is the user; ``namespace`` is that of the binding."""
    name = str(subject.get("name"))
    match subject.get("kind"):
        case "User":
            return name in (user, ALL)
        case "Group":
            return name in groups
        case "ServiceAccount":
            return user == f"{SERVICE_ACCOUNT_PREFIX}{subject.get('namespace') or namespace}:{name}"
    return False


def refusal(wanted: Attributes, user: str) -> str:
    """kube-apiserver's words for what is not allowed."""
    if wanted.path:
        return f'forbidden: User "{user}" cannot {wanted.verb} path "{wanted.path}"'
    qualified = f"{wanted.resource}.{wanted.group}" if wanted.group else wanted.resource
    what = f'{qualified} "{wanted.name}"' if wanted.name else qualified
    where = f'in the namespace "{wanted.namespace}"' if wanted.namespace else "at the cluster scope"
    return (
        f'{what} is forbidden: User "{user}" cannot {wanted.verb} resource "{wanted.qualified}" in API group '
        f'"{wanted.group}" {where}'
    )
