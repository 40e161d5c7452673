"""The client in the same process: calls go straight to a registry.

It gives controllers, queue and node what the HTTP client would, without the wire: the same verbs, the same exceptions.
The registry is handed in by ``host``; this module only says what it needs of one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol

from sidings.api.catalog import Catalog
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import WARN, DeleteOptions, ListOptions, WriteOptions
from sidings.api.pods import LogOptions, PodLogs
from sidings.api.resources import PODS, SERVICE_ACCOUNTS, Resource
from sidings.api.status import BadRequest, NotFound
from sidings.client.interface import ObjectList, PatchType, WatchEvent


class Item(Protocol):
    @property
    def object(self) -> Object: ...


class Page(Protocol):
    @property
    def items(self) -> Sequence[Item]: ...

    @property
    def resource_version(self) -> str: ...

    @property
    def continue_(self) -> str: ...

    @property
    def remaining(self) -> int | None: ...


class Event(Protocol):
    @property
    def type(self) -> str: ...

    @property
    def object(self) -> Object: ...


class Registry(Protocol):
    """``sidings.registry.registry.Registry``, as far as it is needed here."""

    @property
    def catalog(self) -> Catalog: ...

    def get(self, kind: Kind, name: str, namespace: str = "") -> Item: ...

    def list(self, kind: Kind, namespace: str = "", options: ListOptions = ...) -> Page: ...

    def dependents(self, kind: Kind, namespace: str, owner_kind: str, owner_name: str) -> Sequence[Item]: ...

    def watch(self, kind: Kind, namespace: str = "", options: ListOptions = ...) -> AsyncIterator[Event]: ...

    async def create(self, kind: Kind, obj: Object, namespace: str = "", options: WriteOptions = ...) -> Object: ...

    async def create_subresource(
        self, kind: Kind, name: str, subresource: str, obj: Object, namespace: str = "", options: WriteOptions = ...
    ) -> Object: ...

    async def update(
        self,
        kind: Kind,
        name: str,
        obj: Object,
        namespace: str = "",
        options: WriteOptions = ...,
        *,
        subresource: str = "",
    ) -> Object: ...

    async def patch(
        self,
        kind: Kind,
        name: str,
        body: Any,
        namespace: str = "",
        options: WriteOptions = ...,
        *,
        patch_type: str,
        subresource: str = "",
    ) -> tuple[Object, bool]: ...

    async def delete(self, kind: Kind, name: str, namespace: str = "", options: DeleteOptions = ...) -> Object: ...


class TokenIssuer(Protocol):
    """``sidings.server.service_account_tokens.ServiceAccountTokens``, as far as it is needed here."""

    def issue(self, account: Object, request: Object) -> Object: ...


class LocalClient:
    """``client.interface.Client`` on a registry; ``pods`` gives logs, where somebody runs pods."""

    def __init__(self, registry: Registry, pods: PodLogs | None = None) -> None:
        self._registry = registry
        self._pods = pods
        self._tokens: TokenIssuer | None = None

    def read_logs_from(self, pods: PodLogs) -> None:
        """Give logs from now on: who runs the pods is a client itself and comes later."""
        self._pods = pods

    def get_tokens_from(self, tokens: TokenIssuer) -> None:
        """Answer ``serviceaccounts/token`` from now on: whoever knows tokens stands in front of the registry."""
        self._tokens = tokens

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        return self._registry.get(self._kind(resource), name, namespace).object

    async def list(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        limit: int = 0,
        continue_: str = "",
    ) -> ObjectList:
        options = ListOptions(
            label_selector=label_selector, field_selector=field_selector, limit=limit, continue_=continue_
        )
        page = self._registry.list(self._kind(resource), namespace, options)
        return ObjectList([item.object for item in page.items], page.resource_version, page.continue_, page.remaining)

    async def dependents(
        self, resource: Resource, namespace: str = "", *, owner_kind: str = "", owner_name: str = ""
    ) -> Sequence[Object]:
        found = self._registry.dependents(self._kind(resource), namespace, owner_kind, owner_name)
        return [item.object for item in found]

    async def watch(
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
        options = ListOptions(
            label_selector=label_selector,
            field_selector=field_selector,
            resource_version=resource_version,
            bookmarks=bookmarks,
            timeout_seconds=timeout_seconds,
        )
        async for event in self._registry.watch(self._kind(resource), namespace, options):
            yield WatchEvent(event.type, event.object)

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
        kind = self._kind(resource)
        options = WriteOptions(dry_run=dry_run, field_manager=field_manager, field_validation=field_validation or WARN)
        if resource == SERVICE_ACCOUNTS and subresource == "token" and self._tokens is not None:
            return self._tokens.issue(self._registry.get(kind, name, namespace).object, obj)
        if subresource:
            return await self._registry.create_subresource(kind, name, subresource, obj, namespace, options)
        return await self._registry.create(kind, obj, namespace or _namespace_of(obj), options)

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
        options = WriteOptions(dry_run=dry_run, field_manager=field_manager, field_validation=field_validation or WARN)
        name, namespace = obj["metadata"]["name"], _namespace_of(obj)
        return await self._registry.update(self._kind(resource), name, obj, namespace, options, subresource=subresource)

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
    ) -> Object:
        options = WriteOptions(
            dry_run=dry_run, field_manager=field_manager, field_validation=field_validation or WARN, force=force
        )
        patched, _ = await self._registry.patch(
            self._kind(resource),
            name,
            body,
            namespace,
            options,
            patch_type=patch_type.value,
            subresource=subresource,
        )
        return patched

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
        options = DeleteOptions(
            grace_period_seconds=grace_period_seconds,
            propagation_policy=propagation_policy,
            uid=uid,
            resource_version=resource_version,
            dry_run=dry_run,
        )
        return await self._registry.delete(self._kind(resource), name, namespace, options)

    async def logs(self, name: str, namespace: str, options: LogOptions) -> AsyncIterator[bytes]:
        pod = await self.get(PODS, name, namespace)
        if self._pods is None:
            raise BadRequest(f'nobody runs pods here, so pod "{name}" has no logs')
        async for chunk in self._pods.logs(pod, options):
            yield chunk

    def _kind(self, resource: Resource) -> Kind:
        """Raises ``NotFound`` for a resource that is not served, as the server does for its path."""
        kind = self._registry.catalog.by_plural(resource.group, resource.version, resource.plural)
        if kind is None:
            raise NotFound("the server could not find the requested resource")
        return kind


def _namespace_of(obj: Object) -> str:
    return (obj.get("metadata") or {}).get("namespace") or ""
