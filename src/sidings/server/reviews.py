"""``kubectl auth can-i`` and ``whoami``: the reviews that a client may ask about itself.

One user, one right: whoever holds the token may do everything. These objects are answered, never stored.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import timestamps
from sidings.api.objects import Object
from sidings.api.resources import Resource
from sidings.server.auth import User

ACCESS = Resource("authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", False)
RULES = Resource("authorization.k8s.io", "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", False)
SELF = Resource("authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", False)
RESOURCES = (ACCESS, RULES, SELF)


def answer(resource: Resource, review: Object, user: User, now: datetime) -> Object:
    """``review`` as it was posted, with its status filled in."""
    metadata = dict(review.get("metadata") or {})
    filled: Object = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata}
    if resource == SELF:
        metadata["creationTimestamp"] = timestamps.to_text(now)
        filled["status"] = {"userInfo": {"username": user.name, "uid": user.uid, "groups": list(user.groups)}}
        return filled
    filled["spec"] = review.get("spec") or {}
    filled["status"] = {"allowed": True} if resource == ACCESS else _every_right()
    return filled


def _every_right() -> dict[str, Any]:
    return {
        "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        "incomplete": False,
    }
