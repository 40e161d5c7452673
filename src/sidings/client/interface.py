"""The one interface to objects.

Every method raises the classes of ``api.status``. Returned objects are shared: copy before changing. Reads of the
in-process transport are linearizable (they see every acknowledged write), so controllers read through the client
instead of keeping caches with expectations; watches only tell them when to look.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from sidings.api.objects import Object
from sidings.api.pods import LogOptions
from sidings.api.resources import Resource


class PatchType(StrEnum):
    """The content types of PATCH."""

    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    APPLY = "application/apply-patch+yaml"


class ObjectList(NamedTuple):
    """One page: ``items`` sorted by namespace and name, consistent at ``resource_version``."""

    items: list[Object]
    resource_version: str
    continue_: str = ""
    remaining: int | None = None


class WatchEvent(NamedTuple):
    """``type`` is ADDED, MODIFIED, DELETED or BOOKMARK. ERROR events are raised as ``ApiError`` instead."""

    type: str
    object: Object


class Client(Protocol):
    """Verbs on objects. ``namespace`` is ``""`` for cluster-scoped kinds and for lists over all namespaces."""

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object: ...

    async def list(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        limit: int = 0,
        continue_: str = "",
    ) -> ObjectList: ...

    async def dependents(
        self, resource: Resource, namespace: str = "", *, owner_kind: str = "", owner_name: str = ""
    ) -> Sequence[Object]:
        """Objects with an ownerReference to that owner, of whatever uid; without an owner those without controller.

        In process this costs what it returns, however many other objects there are; over the wire it is a list.
        """
        ...

    def watch(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        resource_version: str = "",
        label_selector: str = "",
        field_selector: str = "",
        timeout_seconds: int | None = None,
        bookmarks: bool = False,
    ) -> AsyncIterator[WatchEvent]:
        """Events after ``resource_version``; with ``""`` first an ADDED for each existing object.

        Ends without error when the server closes it. Raises ``Expired`` where the version is too old: list again.
        """
        ...

    async def create(
        self,
        resource: Resource,
        obj: Object,
        *,
        namespace: str = "",
        name: str = "",
        subresource: str = "",
        field_manager: str = "",
        dry_run: bool = False,
        field_validation: str = "",
    ) -> Object:
        """POST. ``name`` and ``subresource`` address a POST subresource such as ``binding`` or ``eviction``."""
        ...

    async def update(
        self,
        resource: Resource,
        obj: Object,
        *,
        subresource: str = "",
        field_manager: str = "",
        dry_run: bool = False,
        field_validation: str = "",
    ) -> Object:
        """PUT; with ``metadata.resourceVersion`` in ``obj`` it raises ``Conflict`` when somebody was faster."""
        ...

    async def patch(
        self,
        resource: Resource,
        name: str,
        body: Any,
        *,
        namespace: str = "",
        patch_type: PatchType = PatchType.MERGE,
        subresource: str = "",
        field_manager: str = "",
        force: bool = False,
        dry_run: bool = False,
        field_validation: str = "",
    ) -> Object: ...

    async def delete(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        grace_period_seconds: int | None = None,
        propagation_policy: str = "",
        uid: str = "",
        resource_version: str = "",
        dry_run: bool = False,
    ) -> Object:
        """The object with its deletionTimestamp where it still lives, the final object or a Status where it is gone.

        ``uid`` and ``resource_version`` are preconditions: ``Conflict`` where they do not hold.
        """
        ...

    def logs(self, name: str, namespace: str, options: LogOptions) -> AsyncIterator[bytes]: ...
