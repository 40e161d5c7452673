"""The client over HTTP: any API server that a kubeconfig names, our engine and a real cluster alike.

Connections are kept and reused; a watch or a followed log takes one for itself and closes it when the caller stops
iterating. Answers that say no become the exceptions of ``api.status``, the same that a registry raises in process.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from sidings.api import timestamps
from sidings.api.objects import Object, controller_of, name_of, namespace_of
from sidings.api.pods import LogOptions
from sidings.api.resources import Resource
from sidings.api.status import ApiError, from_status
from sidings.client import large_lists, server_warnings
from sidings.client.connection import Closed, Connection, Response, connect
from sidings.client.credentials import Credentials
from sidings.client.errors import ServerUnreachable
from sidings.client.interface import ObjectList, PatchType, WatchEvent
from sidings.client.kubeconfig import ClientConfig
from sidings.client.server_warnings import Warn, unheard
from sidings.clock import Clock, SystemClock

JSON = "application/json"
ANSWER_SECONDS = 60.0
"""How long a server may think about a request that is no stream; kube-apiserver's own limit for it."""
CONNECTIONS = 4
"""How many requests that are no streams are under way at once; each has a connection, and its handshake, to itself."""


class HttpClient:
    """``client.interface.Client`` over HTTP. Use ``async with``, or call ``close``.

    ``warn`` is told what the server says about what is written; of what is read a user has not chosen the version.
    """

    def __init__(self, config: ClientConfig, clock: Clock | None = None, warn: Warn = unheard) -> None:
        self.config = config
        self._warn = warn
        self._credentials = Credentials(config, clock or SystemClock())
        self._base = urlsplit(config.server).path.rstrip("/")
        self._idle: list[Connection] = []
        self._turns = asyncio.Semaphore(CONNECTIONS)

    async def __aenter__(self) -> HttpClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        return await self.request_json("GET", _path(resource, namespace, name))

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
        query = _query(
            labelSelector=label_selector, fieldSelector=field_selector, limit=limit, **{"continue": continue_}
        )
        raw = await self._request("GET", _path(resource, namespace), query)
        decode = large_lists.decoded if large_lists.is_one(resource, raw) else json.loads
        body = _decoded(self.config.server, raw, decode)
        metadata = body.get("metadata") or {}
        # Lists of built-in kinds leave out what all items share; every item of ours says what it is.
        items = [{"apiVersion": resource.api_version, "kind": resource.kind, **item} for item in body["items"] or ()]
        return ObjectList(
            items,
            str(metadata.get("resourceVersion") or ""),
            str(metadata.get("continue") or ""),
            metadata.get("remainingItemCount"),
        )

    async def dependents(
        self, resource: Resource, namespace: str = "", *, owner_kind: str = "", owner_name: str = ""
    ) -> Sequence[Object]:
        items = (await self.list(resource, namespace)).items
        if not owner_kind:
            return [obj for obj in items if controller_of(obj) is None]
        owner = (owner_kind, owner_name)
        return [
            obj
            for obj in items
            if owner in [(ref["kind"], ref["name"]) for ref in obj["metadata"].get("ownerReferences") or ()]
        ]

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
        query = _query(
            watch=True,
            resourceVersion=resource_version,
            labelSelector=label_selector,
            fieldSelector=field_selector,
            timeoutSeconds=timeout_seconds,
            allowWatchBookmarks=bookmarks,
        )
        async with self.stream("GET", _path(resource, namespace), query) as response:
            async for line in _lines(response.chunks()):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise from_status(event["object"])
                yield WatchEvent(event["type"], event["object"])

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
        path = _path(resource, namespace or namespace_of(obj), name, subresource)
        return await self.request_json("POST", path, _write_query(field_manager, dry_run, field_validation), obj)

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
        path = _path(resource, namespace_of(obj), name_of(obj), subresource)
        return await self.request_json("PUT", path, _write_query(field_manager, dry_run, field_validation), obj)

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
        query = _write_query(field_manager, dry_run, field_validation)
        if force:
            query["force"] = "true"
        path = _path(resource, namespace, name, subresource)
        return await self.request_json("PATCH", path, query, body, content_type=patch_type.value)

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
        options: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
        preconditions = {k: v for k, v in (("uid", uid), ("resourceVersion", resource_version)) if v}
        if grace_period_seconds is not None:
            options["gracePeriodSeconds"] = grace_period_seconds
        if propagation_policy:
            options["propagationPolicy"] = propagation_policy
        if preconditions:
            options["preconditions"] = preconditions
        if dry_run:
            options["dryRun"] = ["All"]
        return await self.request_json("DELETE", _path(resource, namespace, name), {}, options)

    async def logs(self, name: str, namespace: str, options: LogOptions) -> AsyncIterator[bytes]:
        query = _query(
            container=options.container,
            follow=options.follow,
            previous=options.previous,
            sinceTime=timestamps.to_text(options.since) if options.since else "",
            timestamps=options.timestamps,
            limitBytes=options.limit_bytes,
        )
        if options.tail_lines is not None:
            query["tailLines"] = str(options.tail_lines)
        path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(name, safe='')}/log"
        async with self.stream("GET", path, query, accept="*/*") as response:
            async for chunk in response.chunks():
                yield chunk

    async def request_json(
        self, method: str, path: str, query: Mapping[str, str] | None = None, body: Any = None, content_type: str = JSON
    ) -> Object:
        """One request whose answer is a JSON object; for paths that the interface has no verb for, such as discovery.

        ``body`` is encoded as JSON unless it is bytes already.
        """
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return _decoded(self.config.server, await self._request(method, path, query, raw, content_type), json.loads)

    async def _request(
        self, method: str, path: str, query: Mapping[str, str] | None, body: bytes = b"", content_type: str = JSON
    ) -> bytes:
        async with self._turns, asyncio.timeout(ANSWER_SECONDS) as limit:
            try:
                async with self.stream(method, path, query, body, content_type=content_type) as response:
                    if method != "GET":
                        for text in server_warnings.texts(response.headers.get("warning", "")):
                            self._warn(text)
                    return await response.read()
            except TimeoutError as error:
                if not limit.expired():
                    raise
                raise ServerUnreachable(
                    f"{self.config.server} did not answer {method} {path} within {ANSWER_SECONDS:.0f} s",
                    remedy="sidings status",
                ) from error

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: bytes = b"",
        *,
        accept: str = JSON,
        content_type: str = JSON,
    ) -> AsyncIterator[Response]:
        """A successful answer whose body is yet to be read; raises ApiError for any other."""
        target = self._base + path + ("?" + urlencode(query) if query else "")
        headers = {"Accept": accept, "User-Agent": "sidings"}
        if body:
            headers["Content-Type"] = content_type
        connection, response = await self._send(method, target, headers, body)
        if response.status == 401 and self._credentials.forget():
            await response.read()
            self._give_back(connection, response)
            connection, response = await self._send(method, target, headers, body)
        try:
            if response.status >= 400:
                raise _refusal(response.status, await response.read())
            yield response
        finally:
            self._give_back(connection, response)

    async def _send(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[Connection, Response]:
        authorization = await self._credentials.authorization()
        if authorization:
            headers = {**headers, "Authorization": authorization}
        while True:
            connection, reused = await self._take()
            try:
                return connection, await connection.send(method, target, headers, body)
            except Closed as error:
                # A kept connection may have been closed by the server meanwhile. Only a read may be sent twice:
                # whether a write was carried out, nobody knows.
                if reused and method == "GET":
                    continue
                raise ServerUnreachable(
                    f"{self.config.server} closed the connection before it answered",
                    cause=str(error),
                    remedy="sidings status",
                ) from error
            except BaseException:
                connection.close()
                raise

    async def _take(self) -> tuple[Connection, bool]:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection, True
            connection.close()
        tls = await self._credentials.tls()
        return await connect(self.config.server, tls, self.config.tls_server_name), False

    def _give_back(self, connection: Connection, response: Response) -> None:
        if response.reusable and connection.usable and len(self._idle) < CONNECTIONS:
            self._idle.append(connection)
        else:
            connection.close()


def _path(resource: Resource, namespace: str, name: str = "", subresource: str = "") -> str:
    return resource.path(quote(namespace, safe=""), quote(name, safe=""), subresource)


def _query(**values: str | int | bool | None) -> dict[str, str]:
    """Query parameters; those that are empty, false or zero are left out."""
    return {name: "true" if value is True else str(value) for name, value in values.items() if value}


def _write_query(field_manager: str, dry_run: bool, field_validation: str) -> dict[str, str]:
    return _query(fieldManager=field_manager, dryRun="All" if dry_run else "", fieldValidation=field_validation)


def _decoded(server: str, raw: bytes, decode: Callable[[bytes], Any]) -> Object:
    try:
        body = decode(raw)
    except ValueError:
        body = None
    if isinstance(body, dict):
        return body
    raise ServerUnreachable(
        f"{server} does not answer as an API server", cause=f"it said {raw[:200].decode(errors='replace')!r}"
    )


def _refusal(http_status: int, raw: bytes) -> ApiError:
    """The exception for an answer >= 400; servers and proxies may answer with plain text."""
    try:
        status = json.loads(raw)
    except ValueError:
        status = {"message": raw.decode(errors="replace").strip()}
    return from_status(status if isinstance(status, dict) else {"message": str(status)}, http_status)


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Whole lines from a stream of chunks; a last line without its end is not one."""
    rest = b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line:
                yield line
