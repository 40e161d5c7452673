"""Acting as somebody else: ``kubectl --as`` and the ``Impersonate-*`` headers.

Whoever may ``impersonate`` a user, group, service account, uid or extra value becomes that user for one request
(``k8s.io/apiserver/pkg/endpoints/filters/impersonation``, v0.36).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from sidings.api.rbac import SERVICE_ACCOUNT_PREFIX, Attributes
from sidings.api.status import InternalError
from sidings.server.auth import User
from sidings.server.authorization import Authorizer

_PREFIX = b"impersonate-"
_USER, _GROUP, _UID, _EXTRA = b"impersonate-user", b"impersonate-group", b"impersonate-uid", b"impersonate-extra-"
_AUTHENTICATION = "authentication.k8s.io"
_UNAUTHENTICATED = "system:unauthenticated"
_AUTHENTICATED = "system:authenticated"
_ANONYMOUS = "system:anonymous"


def acting_user(
    headers: Mapping[bytes, bytes], raw: Sequence[tuple[bytes, bytes]], user: User, authorizer: Authorizer
) -> User:
    """Whom ``user`` acts as; ``raw`` are all headers, because groups come as several of one name.

    Raises ``Forbidden`` where ``user`` may not act as that, and ``InternalError``, as upstream, for groups or extra
    values of no user.
    """
    if not any(name.startswith(_PREFIX) for name in headers):
        return user
    wanted = _wanted(raw)
    if not wanted.name:
        raise InternalError(f"Internal error occurred: requested [{_told(wanted)}] without impersonating a user")
    for attributes in _asked(wanted):
        authorizer.check(user, attributes)
    return _completed(wanted)


def _wanted(raw: Sequence[tuple[bytes, bytes]]) -> User:
    name, uid = "", ""
    groups: list[str] = []
    extra: dict[str, tuple[str, ...]] = {}
    for header, value in raw:
        text = value.decode("latin-1")
        if header == _USER:
            name = text
        elif header == _UID:
            uid = text
        elif header == _GROUP:
            groups.append(text)
        elif header.startswith(_EXTRA):
            key = unquote(header.removeprefix(_EXTRA).decode("latin-1"))
            extra[key] = (*extra.get(key, ()), text)
    return User(name, uid, tuple(groups), extra)


def _told(user: User) -> str:
    parts = [f"groups: {list(user.groups)}"] if user.groups else []
    parts += [f"extra: {dict(user.extra)}"] if user.extra else []
    return ", ".join([*parts, *([f"uid: {user.uid}"] if user.uid else [])])


def _asked(wanted: User) -> Iterator[Attributes]:
    """What has to be allowed, one after another."""
    if (account := _account(wanted.name)) is not None:
        namespace, name = account
        yield Attributes("impersonate", "", "serviceaccounts", namespace=namespace, name=name)
    else:
        yield Attributes("impersonate", "", "users", name=wanted.name)
    for group in wanted.groups:
        yield Attributes("impersonate", "", "groups", name=group)
    for key, values in wanted.extra.items():
        for value in values:
            yield Attributes("impersonate", _AUTHENTICATION, "userextras", key, name=value)
    if wanted.uid:
        yield Attributes("impersonate", _AUTHENTICATION, "uids", name=wanted.uid)


def _account(name: str) -> tuple[str, str] | None:
    namespace, colon, account = name.removeprefix(SERVICE_ACCOUNT_PREFIX).partition(":")
    return (namespace, account) if name.startswith(SERVICE_ACCOUNT_PREFIX) and colon and account else None


def _completed(wanted: User) -> User:
    """With the groups that every such user has."""
    groups = wanted.groups
    if not groups and (account := _account(wanted.name)) is not None:
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{account[0]}")
    if wanted.name == _ANONYMOUS:
        groups = groups if _UNAUTHENTICATED in groups else (*groups, _UNAUTHENTICATED)
    elif _AUTHENTICATED not in groups and _UNAUTHENTICATED not in groups:
        groups = (*groups, _AUTHENTICATED)
    return User(wanted.name, wanted.uid, groups, wanted.extra)
