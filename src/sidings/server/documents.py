"""Everything that is not an object: discovery, OpenAPI and version, made from the catalog and kept as bytes.

The catalog is immutable; when the registry serves another one (a CustomResourceDefinition came or went), all documents
are made anew at the next request.
"""

from __future__ import annotations

from sidings.api.catalog import Catalog
from sidings.api.status import NotFound
from sidings.registry.registry import Registry
from sidings.server import discovery, issuer, openapi_v2, version
from sidings.server.discovery import Discovery
from sidings.server.negotiation import discovery_version
from sidings.server.openapi_v3 import ROOT as OPENAPI_ROOT
from sidings.server.openapi_v3 import OpenApi
from sidings.server.paths import GroupPath
from sidings.server.requests import Request
from sidings.server.responses import NOT_FOUND, Response, encode, json_response

ROOT_PATHS = sorted(
    (*issuer.PATHS, "/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version")
)

_VERSION = Response(200, encode(version.DOCUMENT))
_ROOT = Response(200, encode({"paths": ROOT_PATHS}))


class Documents:
    """The documents of the registry's current catalog."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._catalog: Catalog | None = None
        self._discovery = Discovery()
        self._openapi: OpenApi | None = None
        self._aggregated: dict[tuple[str, str], Response] = {}
        self._swaggers: dict[bool, Response] = {}

    def answer(self, request: Request) -> Response | None:
        """The document at the request's path, or None. Every document answers to GET alone."""
        path = request.path.rstrip("/") or "/"
        if request.method != "GET":
            return None
        if path == "/":
            return _ROOT
        if path == "/version":
            return _VERSION
        if path in ("/api", "/apis"):
            return self._group_document(path, request)
        if path == OPENAPI_ROOT:
            return Response(200, self._openapi_documents().index)
        if path == openapi_v2.ROOT:
            return self._swagger(request.accept)
        if path.startswith(OPENAPI_ROOT + "/"):
            raw = self._openapi_documents().document(path[len(OPENAPI_ROOT) + 1 :])
            return Response(200, raw) if raw is not None else None
        return None

    def group(self, path: GroupPath) -> Response:
        """``/apis/G``, ``/apis/G/V`` and ``/api/V``."""
        current = self._current()
        found = current.resource_list(path.group, path.version) if path.version else current.group(path.group)
        return json_response(200, found) if found is not None else NOT_FOUND

    def no_such_resource(self, group: str) -> Response:
        """For a resource or version that is not served: a Status if its group is, else what Go's mux says."""
        if group not in self._current().groups:
            return NOT_FOUND
        raise NotFound("the server could not find the requested resource")

    def _group_document(self, path: str, request: Request) -> Response:
        wanted = discovery_version(request.accept)
        current = self._current()
        if not wanted:
            core = current.core_versions(request.text(b"host"))
            return json_response(200, core if path == "/api" else current.group_list())
        kept = self._aggregated.get((path, wanted))
        if kept is None:
            body = encode(current.aggregated(path == "/api", wanted))
            kept = self._aggregated[path, wanted] = Response(200, body, discovery.content_type(wanted))
        return kept

    def _current(self) -> Discovery:
        if self._registry.catalog is not self._catalog:
            self._catalog = self._registry.catalog
            self._discovery = Discovery.of(self._catalog)
            self._openapi = None
            self._aggregated = {}
            self._swaggers = {}
        return self._discovery

    def _swagger(self, accept: str) -> Response:
        self._current()
        protobuf = openapi_v2.prefers_protobuf(accept)
        kept = self._swaggers.get(protobuf)
        if kept is None:
            body, content_type = openapi_v2.answer(self._registry.catalog, accept)
            kept = self._swaggers[protobuf] = Response(200, body, content_type)
        return kept

    def _openapi_documents(self) -> OpenApi:
        self._current()
        if self._openapi is None:
            self._openapi = OpenApi(self._registry.catalog)
        return self._openapi
