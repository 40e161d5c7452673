"""What an admission plug-in is: a rule on a write that must look at other objects.

A plug-in sees a :class:`Request` twice. ``admit`` runs before schema validation and may change ``request.obj`` in
place, as upstream's mutating admission; ``validate`` runs last before the object is stored and may only refuse, as
validating admission. Both are synchronous, because what they read through the :class:`Reader` is memory: so no other
write can come between the look and the decision. A plug-in refuses by raising a class of ``api.status``; webhooks of
upstream controllers answer ``admission webhook "NAME" denied the request: ...``, which :func:`denied` words.

Rules that need only the object itself are no plug-ins: they are the ``Rules`` of its kind in ``api/kinds``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.resources import Resource
from sidings.api.status import Forbidden


class Operation(StrEnum):
    """What is being done, in the words of ``admission.k8s.io/v1``."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


class Reader(Protocol):
    """Committed objects, as a plug-in may see them. What it returns is shared: never change it."""

    def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        """Raises ``NotFound``."""
        ...

    def list(self, resource: Resource, namespace: str = "") -> list[Object]:
        """All objects of ``namespace`` (``""``: of all namespaces), sorted by namespace and name."""
        ...

    def labelled(self, resource: Resource, namespace: str, label: str, value: str) -> Sequence[Object]:
        """Those of them that carry a label with a value; costs what it returns."""
        ...


@dataclass(frozen=True)
class Request:
    """One write under admission."""

    operation: Operation
    kind: Kind
    namespace: str
    name: str
    obj: Object | None
    """The object as it would be stored; ``admit`` may change it in place. None for DELETE."""
    old: Object | None
    """The stored object; None for CREATE. Shared: never change it."""
    subresource: str
    dry_run: bool
    warn: Callable[[str], None]
    """Adds a text to the ``Warning:`` headers of the answer."""

    @property
    def new(self) -> Object:
        """``obj`` of a CREATE or UPDATE."""
        assert self.obj is not None, "a DELETE has no new object"
        return self.obj

    def concerns(self, resource: Resource, *operations: Operation, subresource: str = "") -> bool:
        """Whether this is one of ``operations`` on ``resource`` (its main endpoint unless ``subresource``)."""
        mine = self.kind.resource
        return (
            mine.group == resource.group
            and mine.plural == resource.plural
            and self.subresource == subresource
            and self.operation in operations
        )


class Plugin:
    """Base of all plug-ins; a subclass overrides ``admit``, ``validate`` or both."""

    def admit(self, request: Request, reader: Reader) -> None:
        """Change ``request.obj`` in place, or refuse by raising an ``ApiError``."""

    def validate(self, request: Request, reader: Reader) -> None:
        """Refuse by raising an ``ApiError``; change nothing."""


def denied(webhook: str, reason: str) -> Forbidden:
    """The 403 that the API server answers when webhook ``webhook`` refuses with ``reason`` (kube-apiserver 1.36)."""
    return Forbidden(f'admission webhook "{webhook}" denied the request: {reason}')
