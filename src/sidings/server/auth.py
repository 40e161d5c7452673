"""Who is asking. Closed by default: the API can start processes, so nobody is anonymous.

A request needs a bearer token, a Host that means this server, and no Origin but ours. The last two stop a web page in
the user's browser from reaching the API by a name it controls, should a token ever be within its reach.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import urlsplit

from sidings.api.status import Forbidden, Unauthorized


@dataclass(frozen=True)
class User:
    """``authentication.k8s.io/v1 UserInfo``."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def info(self) -> dict[str, Any]:
        """As a review tells it."""
        told: dict[str, Any] = {"username": self.name, "uid": self.uid, "groups": list(self.groups)}
        if self.extra:
            told["extra"] = {key: list(values) for key, values in self.extra.items()}
        return told


ADMIN = User("admin", "admin-uid", ("system:masters", "system:authenticated"))


class Authenticator(Protocol):
    """Knows tokens."""

    def user_of(self, token: bytes) -> User | None:
        """The user whom ``token`` belongs to; takes the same time for every wrong one."""
        ...


class StaticTokens:
    """A fixed set of tokens, as kube-apiserver's ``--token-auth-file``."""

    def __init__(self, users: Mapping[str, User]) -> None:
        self._users = [(token.encode(), user) for token, user in users.items()]

    def user_of(self, token: bytes) -> User | None:
        found = None
        for known, user in self._users:
            if hmac.compare_digest(known, token):
                found = user
        return found


class FirstOf:
    """Several authenticators; the first that knows a token says whose it is."""

    def __init__(self, *known: Authenticator) -> None:
        self._known = known

    def user_of(self, token: bytes) -> User | None:
        return next((user for each in self._known if (user := each.user_of(token)) is not None), None)


def authenticate(authenticator: Authenticator, headers: Mapping[bytes, bytes]) -> User:
    """The user of a request. Raises Unauthorized without saying why."""
    scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
    user = authenticator.user_of(token.strip()) if scheme.lower() == b"bearer" else None
    if user is None:
        raise Unauthorized("Unauthorized")
    return user


class Gate:
    """Which Host and Origin headers a request may carry."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self._hosts: Collection[str] = frozenset(host.lower() for host in hosts)

    def check(self, headers: Mapping[bytes, bytes]) -> None:
        """Raises Forbidden for a Host that is not ours, or an Origin that is not the Host."""
        host = headers.get(b"host", b"")
        if _hostname(host) not in self._hosts:
            raise Forbidden(f'this server does not answer for host "{host.decode("latin-1")}"')
        origin = headers.get(b"origin")
        if origin is not None and origin != b"https://" + host:
            raise Forbidden("requests of web pages of other origins are not served")


@lru_cache(maxsize=64)
def _hostname(host: bytes) -> str:
    try:
        return (urlsplit("//" + host.decode("latin-1")).hostname or "").lower()
    except ValueError:
        return ""
