"""Tokens of service accounts: what ``kubectl create token`` gives out, and who shows one.

A token is a JWT that the engine signs with a key of its own (``signing_key``). It is bound to the service account's
uid, and to that of a pod, secret or node if the request says so: with either it ends, as it does at its time. Names of
claims and of what a user's ``extra`` tells of them are upstream's (``pkg/serviceaccount/claims.go`` and ``util.go``,
v1.36).
"""

from __future__ import annotations

import base64
import contextlib
import json
import random
import uuid
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from sidings.api import fields, timestamps
from sidings.api.objects import Object, uid_of
from sidings.api.rbac import SERVICE_ACCOUNT_PREFIX
from sidings.api.resources import NODES, PODS, SECRETS, SERVICE_ACCOUNTS, Resource
from sidings.api.status import Conflict, NotFound
from sidings.clock import Clock
from sidings.registry.registry import Registry
from sidings.server.auth import User
from sidings.server.signing_key import ALGORITHM, SigningKey, base64_url

ISSUER = "https://kubernetes.default.svc"
AUDIENCES = (ISSUER,)
"""Those that this server itself is."""
DEFAULT_SECONDS = 3600
SHORTEST_SECONDS = 600
LONGEST_SECONDS = 1 << 32
DELETION_LEEWAY = timedelta(seconds=60)
"""How long after the end of its grace period a bound object that is still there counts as there."""
BINDABLE: Mapping[str, Resource] = {"Pod": PODS, "Secret": SECRETS, "Node": NODES}
_EXTRA = "authentication.kubernetes.io/"


class ServiceAccountTokens:
    """Issues tokens and knows them again."""

    def __init__(self, registry: Registry, clock: Clock, rng: random.Random, key: SigningKey | None = None) -> None:
        """Without a ``key`` one is made when it is first needed, and nobody knows the tokens again later."""
        self._registry = registry
        self._clock = clock
        self._key = key
        self._rng = rng

    @property
    def key(self) -> SigningKey:
        if self._key is None:
            self._key = SigningKey.new()
        return self._key

    def issue(self, account: Object, request: Object) -> Object:
        """``request``, an ``authentication.k8s.io/v1 TokenRequest``, with its status. Raises Invalid and Conflict."""
        spec = dict(request.get("spec") or {})
        seconds = spec.get("expirationSeconds")
        seconds = DEFAULT_SECONDS if seconds is None else seconds
        name, namespace = account["metadata"]["name"], account["metadata"]["namespace"]
        if seconds < SHORTEST_SECONDS:
            error = fields.invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
            raise fields.to_invalid("authentication.k8s.io", "TokenRequest", name, [error])
        if seconds > LONGEST_SECONDS:
            detail = "may not specify a duration larger than 2^32 seconds"
            error = fields.invalid("spec.expirationSeconds", seconds, detail)
            raise fields.to_invalid("authentication.k8s.io", "TokenRequest", name, [error])
        audiences = list(spec.get("audiences") or AUDIENCES)
        now = self._clock.now()
        expires = now + timedelta(seconds=seconds)
        private = {
            "namespace": namespace,
            "serviceaccount": {"name": name, "uid": uid_of(account)},
            **self._bound(spec.get("boundObjectRef"), namespace),
        }
        claims = {
            "iss": ISSUER,
            "sub": f"{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}",
            "aud": audiences,
            "iat": int(now.timestamp()),
            "nbf": int(now.timestamp()),
            "exp": int(expires.timestamp()),
            "jti": str(uuid.UUID(int=self._rng.getrandbits(128), version=4)),
            "kubernetes.io": private,
        }
        return {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {"name": name, "namespace": namespace, "creationTimestamp": timestamps.to_text(now)},
            "spec": {
                **spec,
                "audiences": audiences,
                "expirationSeconds": seconds,
                "boundObjectRef": spec.get("boundObjectRef"),
            },
            "status": {"token": self._signed(claims), "expirationTimestamp": timestamps.to_text(expires)},
        }

    def user_of(self, token: bytes) -> User | None:
        """The service account whose valid token this is, if it is for this server."""
        found = self.review(token, AUDIENCES)
        return found[0] if found else None

    def review(self, token: bytes, audiences: Collection[str]) -> tuple[User, list[str]] | None:
        """Whose valid token this is and for which of ``audiences``; None for none of them or no token of ours."""
        claims = self._read(token)
        if claims is None:
            return None
        meant = [audience for audience in claims["aud"] if audience in audiences]
        now = self._clock.now()
        if not meant or not claims["nbf"] <= now.timestamp() < claims["exp"]:
            return None
        private = claims["kubernetes.io"]
        namespace, account = private["namespace"], private["serviceaccount"]
        if not self._lives(SERVICE_ACCOUNTS, account, namespace, now):
            return None
        extra = {"credential-id": f"JTI={claims['jti']}"}
        for kind, resource in BINDABLE.items():
            bound = private.get(kind.lower())
            if bound is None:
                continue
            # The node of a pod's token is told for information: the token is the pod's and ends with it.
            told_only = kind == NODES.kind and PODS.kind.lower() in private
            if not told_only and not self._lives(resource, bound, namespace, now):
                return None
            if kind != SECRETS.kind:
                extra |= {f"{kind.lower()}-name": bound["name"], f"{kind.lower()}-uid": bound["uid"]}
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
        told = {_EXTRA + key: (value,) for key, value in sorted(extra.items())}
        return User(str(claims["sub"]), str(account["uid"]), groups, told), meant

    def _bound(self, reference: Mapping[str, Any] | None, namespace: str) -> dict[str, Any]:
        if not reference:
            return {}
        resource = BINDABLE.get(str(reference.get("kind")))
        if resource is None:
            detail = "cannot bind token to object of type " + str(reference.get("kind"))
            error = fields.invalid("spec.boundObjectRef.kind", reference.get("kind") or "", detail)
            raise fields.to_invalid("authentication.k8s.io", "TokenRequest", "", [error])
        obj = self._get(resource, str(reference.get("name")), namespace)
        if reference.get("uid") and reference["uid"] != uid_of(obj):
            raise Conflict(
                f"the UID in the bound object reference ({reference['uid']}) does not match the UID in record. The "
                "object might have been deleted and then recreated",
                name=str(reference.get("name")),
                kind=resource.plural,
            )
        bound = {resource.kind.lower(): {"name": reference["name"], "uid": uid_of(obj)}}
        if resource == PODS and (node := obj["spec"].get("nodeName")):
            with contextlib.suppress(NotFound):
                bound["node"] = {"name": node, "uid": uid_of(self._get(NODES, node, ""))}
        return bound

    def _get(self, resource: Resource, name: str, namespace: str) -> Object:
        kind = self._registry.catalog.by_plural(*resource[:3])
        assert kind is not None
        return self._registry.get(kind, name, namespace).object

    def _lives(self, resource: Resource, reference: Mapping[str, str], namespace: str, now: datetime) -> bool:
        try:
            found = self._get(resource, reference["name"], namespace if resource.namespaced else "")
        except NotFound:
            return False
        ending = found["metadata"].get("deletionTimestamp")
        if ending and now > timestamps.from_text(ending) + DELETION_LEEWAY:
            return False
        return uid_of(found) == reference["uid"]

    def _signed(self, claims: Mapping[str, Any]) -> str:
        content = f"{_encoded({'alg': ALGORITHM, 'kid': self.key.id})}.{_encoded(claims)}"
        return f"{content}.{base64_url(self.key.sign(content.encode()))}"

    def _read(self, token: bytes) -> Any:
        """The claims of a token that we have signed; None for any other."""
        content, _, signature = token.rpartition(b".")
        header, _, claims = content.partition(b".")
        try:
            signed = bool(header and claims) and self.key.has_signed(content, _decoded(signature))
        except ValueError:
            return None
        return json.loads(_decoded(claims)) if signed else None


def _encoded(value: Mapping[str, Any]) -> str:
    return base64_url(json.dumps(value, separators=(",", ":")).encode())


def _decoded(text: bytes) -> bytes:
    """Raises ValueError for what is no base64."""
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
