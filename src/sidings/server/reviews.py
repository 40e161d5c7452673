"""Reviews: who is this, and may they do that? What ``kubectl auth can-i`` and ``whoami`` ask, and services that check
tokens of others.

They say what a request would meet, because they ask whoever decides on requests. These objects are answered, never
stored. The ``Self*`` ones are about who asks; everybody may post them, the others need the right to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sidings.api import fields, timestamps
from sidings.api.fields import FieldError
from sidings.api.objects import Object
from sidings.api.rbac import Attributes
from sidings.api.resources import Resource
from sidings.server.auth import User
from sidings.server.authorization import Authorizer
from sidings.server.service_account_tokens import AUDIENCES, ServiceAccountTokens

_AUTHORIZATION, _AUTHENTICATION = "authorization.k8s.io", "authentication.k8s.io"
ACCESS = Resource(_AUTHORIZATION, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", False)
RULES = Resource(_AUTHORIZATION, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", False)
SUBJECT_ACCESS = Resource(_AUTHORIZATION, "v1", "subjectaccessreviews", "SubjectAccessReview", False)
LOCAL_ACCESS = Resource(_AUTHORIZATION, "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview", True)
SELF = Resource(_AUTHENTICATION, "v1", "selfsubjectreviews", "SelfSubjectReview", False)
TOKEN = Resource(_AUTHENTICATION, "v1", "tokenreviews", "TokenReview", False)
RESOURCES = (ACCESS, RULES, SUBJECT_ACCESS, LOCAL_ACCESS, SELF, TOKEN)

NOT_OURS = "[invalid bearer token, token lookup failed]"
"""What a TokenReview says of a token that nobody here has issued, or that has ended."""


class Reviews:
    """Answers them for one server."""

    def __init__(self, authorizer: Authorizer, tokens: ServiceAccountTokens) -> None:
        self._authorizer = authorizer
        self._tokens = tokens

    def answer(self, resource: Resource, review: Object, namespace: str, user: User, now: datetime) -> Object:
        """``review`` as ``user`` has posted it, with its status filled in. Raises ``Invalid``."""
        metadata = dict(review.get("metadata") or {})
        filled: Object = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata}
        if resource == SELF:
            metadata["creationTimestamp"] = timestamps.to_text(now)
            filled["status"] = {"userInfo": user.info()}
            return filled
        spec = filled["spec"] = review.get("spec") or {}
        errors = _errors(resource, spec, namespace)
        if errors:
            raise fields.to_invalid(resource.group, resource.kind, "", errors)
        if resource == TOKEN:
            filled["status"] = self._token(spec)
        elif resource == RULES:
            filled["status"] = _rules(self._authorizer.rules(user, spec.get("namespace") or ""))
        else:
            asked = user if resource == ACCESS else _subject(spec)
            filled["status"] = self._access(asked, _wanted(spec))
        return filled

    def _access(self, user: User, wanted: Attributes) -> dict[str, Any]:
        return {"allowed": self._authorizer.allows(user, wanted)}

    def _token(self, spec: Object) -> dict[str, Any]:
        found = self._tokens.review(str(spec["token"]).encode(), spec.get("audiences") or AUDIENCES)
        if found is None:
            return {"user": {}, "error": NOT_OURS}
        user, audiences = found
        return {"authenticated": True, "user": user.info(), "audiences": audiences}


def _errors(resource: Resource, spec: Object, namespace: str) -> list[FieldError]:
    """``pkg/apis/authorization/validation`` and the storage of token reviews (v1.36)."""
    if resource == RULES:
        return []
    if resource == TOKEN:
        detail = "token is required for TokenReview in authentication"
        return [] if spec.get("token") else [fields.required("spec.token", detail)]
    given = [field for field in ("resourceAttributes", "nonResourceAttributes") if spec.get(field) is not None]
    errors = []
    if len(given) == 2:
        detail = "cannot be specified in combination with resourceAttributes"
        errors.append(fields.invalid("spec.nonResourceAttributes", spec["nonResourceAttributes"], detail))
    elif not given:
        detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        errors.append(fields.invalid("spec.resourceAttributes", None, detail))
    if resource != ACCESS and not spec.get("user") and not spec.get("groups"):
        errors.append(fields.invalid("spec.user", "", "at least one of user or group must be specified"))
    if resource == LOCAL_ACCESS:
        if spec.get("nonResourceAttributes") is not None:
            detail = "disallowed on this kind of request"
            errors.append(fields.invalid("spec.nonResourceAttributes", spec["nonResourceAttributes"], detail))
        asked = (spec.get("resourceAttributes") or {}).get("namespace") or ""
        if asked != namespace:
            detail = "must match metadata.namespace"
            errors.append(fields.invalid("spec.resourceAttributes.namespace", asked, detail))
    return errors


def _subject(spec: Object) -> User:
    extra = {key: tuple(values) for key, values in (spec.get("extra") or {}).items()}
    return User(spec.get("user") or "", spec.get("uid") or "", tuple(spec.get("groups") or ()), extra)


def _wanted(spec: Object) -> Attributes:
    """What an access review asks about."""
    if asked := spec.get("nonResourceAttributes"):
        return Attributes(asked.get("verb") or "", path=asked.get("path") or "")
    asked = spec.get("resourceAttributes") or {}
    named = ("verb", "group", "resource", "subresource", "namespace", "name")
    return Attributes(*(str(asked.get(field) or "") for field in named))


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
