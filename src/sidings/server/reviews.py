"""``kubectl auth can-i`` and ``whoami``: the reviews that a client may ask about itself.

They say what a request would meet, because they ask whoever decides on requests. These objects are answered, never
stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sidings.api import timestamps
from sidings.api.objects import Object
from sidings.api.rbac import Attributes
from sidings.api.resources import Resource
from sidings.server.auth import User
from sidings.server.authorization import Authorizer

ACCESS = Resource("authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", False)
RULES = Resource("authorization.k8s.io", "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", False)
SELF = Resource("authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", False)
RESOURCES = (ACCESS, RULES, SELF)


def answer(resource: Resource, review: Object, user: User, authorizer: Authorizer, now: datetime) -> Object:
    """``review`` as it was posted, with its status filled in."""
    metadata = dict(review.get("metadata") or {})
    filled: Object = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata}
    if resource == SELF:
        metadata["creationTimestamp"] = timestamps.to_text(now)
        filled["status"] = {"userInfo": {"username": user.name, "uid": user.uid, "groups": list(user.groups)}}
        return filled
    spec = filled["spec"] = review.get("spec") or {}
    if resource == ACCESS:
        filled["status"] = {"allowed": authorizer.allows(user, _wanted(spec))}
    else:
        filled["status"] = _rules(authorizer.rules(user, spec.get("namespace") or ""))
    return filled


def _wanted(spec: Object) -> Attributes:
    """What a SelfSubjectAccessReview asks about."""
    if path := (spec.get("nonResourceAttributes") or {}).get("path"):
        return Attributes((spec["nonResourceAttributes"]).get("verb") or "", path=path)
    asked = spec.get("resourceAttributes") or {}
    fields = ("verb", "group", "resource", "subresource", "namespace", "name")
    return Attributes(*(str(asked.get(field) or "") for field in fields))


def _rules(granted: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    of_resources = ("verbs", "apiGroups", "resources", "resourceNames")
    return {
        "resourceRules": [
            {field: rule[field] for field in of_resources if rule.get(field)}
            for rule in granted
            if rule.get("resources")
        ],
        "nonResourceRules": [
            {"verbs": rule["verbs"], "nonResourceURLs": rule["nonResourceURLs"]}
            for rule in granted
            if rule.get("nonResourceURLs")
        ],
        "incomplete": False,
    }
