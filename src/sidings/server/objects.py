"""The verbs on objects, from HTTP to the registry and back.

Which verb a request means is its method and whether it names an object; what the verb does is the registry's. Refusals
of what is not served differ between built-in and custom kinds, as they do upstream, where two handlers answer them.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

from sidings.api import options, sent_kinds
from sidings.api.kind import Kind
from sidings.api.kinds.rbac import GROUP as RBAC
from sidings.api.options import WriteOptions
from sidings.api.pods import PodAccess
from sidings.api.resources import NAMESPACES, SERVICE_ACCOUNTS, Resource
from sidings.api.status import BadRequest, MethodNotAllowed, NotFound
from sidings.clock import Clock
from sidings.registry.registry import Registry
from sidings.server import absent, bodies, logs, metrics_api, openshift, reviews, upgrades, watch
from sidings.server.authorization import Authorizer
from sidings.server.discovery import SUBRESOURCES, VERBS, WITHOUT_DELETE_COLLECTION
from sidings.server.documents import Documents
from sidings.server.escalation import Escalation
from sidings.server.negotiation import negotiate
from sidings.server.paths import ResourcePath
from sidings.server.rendering import Rendering
from sidings.server.requests import Request
from sidings.server.responses import Response, Stream, json_response
from sidings.server.service_account_tokens import ServiceAccountTokens

OBJECT_VERBS = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "POST": "create"}
COLLECTION_VERBS = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}


SCALES = Kind(Resource("autoscaling", "v1", "scales", "Scale", True), "scale", {}, builtin=True)
"""What ``/scale`` shows of any kind; not a kind that is served by itself."""


class Objects:
    """Answers every request that addresses a resource."""

    def __init__(
        self,
        registry: Registry,
        pods: PodAccess,
        clock: Clock,
        rng: random.Random,
        documents: Documents,
        authorizer: Authorizer,
        tokens: ServiceAccountTokens,
    ) -> None:
        self._registry = registry
        self._pods = pods
        self._clock = clock
        self._rng = rng
        self._documents = documents
        self._metrics = metrics_api.Metrics(registry, pods)
        self._authorizer = authorizer
        self._tokens = tokens
        self._reviews = reviews.Reviews(authorizer, tokens)

    async def answer(self, request: Request, path: ResourcePath) -> Response | Stream:
        kind = self._registry.catalog.by_plural(path.group, path.version, path.plural)
        if kind is None:
            review = next((r for r in reviews.RESOURCES if r[:3] == path[:3]), None)
            if review is not None and review.namespaced == bool(path.namespace) and not path.name:
                return await self._review(request, review, path.namespace)
            if path[:3] in (resource[:3] for resource in metrics_api.RESOURCES):
                now = self._clock.now()
                return json_response(200, await self._metrics.answer(request.method, path, request.query, now))
            if (resource := next((r for r in openshift.RESOURCES if r[:3] == path[:3]), None)) is not None:
                return await self._of_openshift(request, resource, path)
            if (resource := next((r for r in absent.RESOURCES if r[:3] == path[:3]), None)) is not None:
                return self._of_absent(request, resource, path)
            return self._documents.no_such_resource(path.group)
        if bool(path.namespace) and not kind.resource.namespaced:
            raise NotFound("the server could not find the requested resource")
        if path.name and kind.resource.namespaced and not path.namespace:
            raise NotFound("the server could not find the requested resource")
        verb = _verb(request.method, path, kind)
        if path.subresource == "log":
            pod = self._registry.get(kind, path.name, path.namespace).object
            return await logs.answer(self._pods, pod, request.query, self._clock.now())
        if path.subresource in upgrades.SUBRESOURCES:
            self._registry.get(kind, path.name, path.namespace)
            raise BadRequest("Upgrade request required")
        shown = SCALES if path.subresource == "scale" else kind
        rendering = Rendering(shown, negotiate(request.accept), request.query.text("includeObject"), self._clock.now())
        match verb:
            case "get":
                return self._get(request, path, kind, rendering)
            case "list" | "watch":
                return self._list(request, path, kind, rendering)
            case "create":
                return await self._create(request, path, kind, rendering)
            case "update":
                return await self._update(request, path, kind, rendering)
            case "patch":
                return await self._patch(request, path, kind, rendering)
            case "delete":
                return await self._delete(request, path, kind, rendering)
            case _:
                return await self._delete_collection(request, path, kind, rendering)

    def _get(self, request: Request, path: ResourcePath, kind: Kind, rendering: Rendering) -> Response:
        item = self._registry.get(
            kind,
            path.name,
            path.namespace,
            subresource=path.subresource,
            resource_version=request.query.text("resourceVersion"),
        )
        return rendering.item(item)

    def _list(self, request: Request, path: ResourcePath, kind: Kind, rendering: Rendering) -> Response | Stream:
        if path.watch or request.query.flag("watch"):
            wanted = watch.options_of(request.query, path.name, self._rng)
            events = self._registry.watch(kind, path.namespace, wanted)
            return Stream(watch.frames(events, rendering), rendering.content_type)
        return rendering.page(self._registry.list(kind, path.namespace, options.for_list(request.query)))

    async def _create(self, request: Request, path: ResourcePath, kind: Kind, rendering: Rendering) -> Response:
        raw = await request.body()
        body = bodies.decode_object(raw, request.content_type, kind, strict=_strict(request))
        wanted = options.for_create(
            request.query, user_agent=request.user_agent, repeated=tuple(body.repeated), warn=request.warn
        )
        if path.subresource:
            sent = sent_kinds.read(SUBRESOURCES[path.subresource].kind, body.value)
            if kind.resource == SERVICE_ACCOUNTS and path.subresource == "token":
                account = self._registry.get(kind, path.name, path.namespace).object
                return json_response(201, self._tokens.issue(account, sent), request.warning_headers())
            made = await self._registry.create_subresource(
                kind, path.name, path.subresource, sent, path.namespace, wanted
            )
            return json_response(201, made, request.warning_headers())
        wanted = self._guarded(request, kind, wanted)
        created = await self._registry.create(kind, body.value, path.namespace, wanted)
        return rendering.written(created, 201, request.warning_headers())

    async def _update(self, request: Request, path: ResourcePath, kind: Kind, rendering: Rendering) -> Response:
        raw = await request.body()
        body = bodies.decode_object(raw, request.content_type, kind, strict=_strict(request))
        wanted = options.for_update(
            request.query, user_agent=request.user_agent, repeated=tuple(body.repeated), warn=request.warn
        )
        wanted = self._guarded(request, kind, wanted)
        updated = await self._registry.update(
            kind, path.name, body.value, path.namespace, wanted, subresource=path.subresource
        )
        return rendering.written(updated, 200, request.warning_headers())

    async def _patch(self, request: Request, path: ResourcePath, kind: Kind, rendering: Rendering) -> Response:
        raw = await request.body()
        patch_type, body = bodies.decode_patch(raw, request.content_type, kind)
        wanted = options.for_patch(
            request.query,
            apply=patch_type == bodies.APPLY_PATCH,
            user_agent=request.user_agent,
            warn=request.warn,
        )
        wanted = self._guarded(request, kind, wanted)
        patched, created = await self._registry.patch(
            kind, path.name, body, path.namespace, wanted, patch_type=patch_type, subresource=path.subresource
        )
        return rendering.written(patched, 201 if created else 200, request.warning_headers())

    async def _delete(self, request: Request, path: ResourcePath, kind: Kind, rendering: Rendering) -> Response:
        body = bodies.decode_options(await request.body(), request.content_type)
        wanted = options.for_delete(request.query, body, warn=request.warn)
        answer = await self._registry.delete(kind, path.name, path.namespace, wanted)
        if answer["kind"] == "Status":
            return json_response(200, answer, request.warning_headers())
        return rendering.written(answer, 200, request.warning_headers())

    async def _delete_collection(
        self, request: Request, path: ResourcePath, kind: Kind, rendering: Rendering
    ) -> Response:
        body = bodies.decode_options(await request.body(), request.content_type)
        wanted = options.for_delete(request.query, body, warn=request.warn)
        selected = options.for_list(request.query)
        return rendering.page(await self._registry.delete_collection(kind, path.namespace, selected, wanted))

    def _of_absent(self, request: Request, resource: Resource, path: ResourcePath) -> Response:
        kind, now = absent.kind_of(resource), self._clock.now()
        rendering = Rendering(kind, negotiate(request.accept), request.query.text("includeObject"), now)
        namespaces = self._registry.catalog.by_plural(*NAMESPACES[:3])
        assert namespaces is not None
        version = self._registry.list(namespaces).resource_version
        return rendering.page(absent.listed(resource, request.method, path.name, version))

    async def _of_openshift(self, request: Request, resource: Resource, path: ResourcePath) -> Response:
        kind, now = openshift.kind_of(resource), self._clock.now()
        verb = (OBJECT_VERBS if path.name else COLLECTION_VERBS).get(request.method, "")
        openshift.must_serve(resource, verb)
        rendering = Rendering(kind, negotiate(request.accept), request.query.text("includeObject"), now)
        if verb == "create":
            body = bodies.decode_object(await request.body(), request.content_type, kind, strict=False)
            wanted = options.for_create(request.query, user_agent=request.user_agent, warn=request.warn)
            made = await openshift.new_project(self._registry, body.value, request.user, wanted)
            return rendering.written(made, 201, request.warning_headers())
        if resource == openshift.PROJECT_REQUESTS:
            return json_response(200, openshift.may_request())
        if verb == "get":
            return rendering.item(openshift.found(resource, path.name, request.user, now))
        return rendering.page(openshift.listed(resource, request.user, now))

    async def _review(self, request: Request, resource: Resource, namespace: str) -> Response:
        if request.method != "POST":
            raise MethodNotAllowed("the server does not allow this method on the requested resource")
        kind = Kind(resource, resource.kind.lower(), {}, builtin=True)
        body = bodies.decode_object(await request.body(), request.content_type, kind, strict=False)
        answer = self._reviews.answer(resource, body.value, namespace, request.user, self._clock.now())
        return json_response(201, answer)

    def _guarded(self, request: Request, kind: Kind, wanted: WriteOptions) -> WriteOptions:
        """``wanted`` with the check of what this user may write."""
        if kind.resource.group != RBAC:
            return wanted
        escalation = Escalation(self._authorizer, request.user)
        return replace(wanted, guard=partial(escalation.check, kind.resource))


def _strict(request: Request) -> bool:
    """Whether anybody wants to hear of fields given twice."""
    return request.query.text("fieldValidation") != options.IGNORE


def _verb(method: str, path: ResourcePath, kind: Kind) -> str:
    """The verb that ``method`` means here. Raises NotFound for an unknown subresource, MethodNotAllowed for a verb."""
    resource = kind.resource
    if path.subresource and path.subresource not in kind.subresources:
        if not kind.builtin:
            raise NotFound(
                f'{resource.group_resource} "{path.name}" not found',
                name=path.name,
                group=resource.group,
                kind=resource.plural,
            )
        raise NotFound("the server could not find the requested resource")
    if path.watch and method == "GET":
        return "watch"
    verb = (OBJECT_VERBS if path.name else COLLECTION_VERBS).get(method, method.lower())
    if path.subresource:
        allowed: tuple[str, ...] = SUBRESOURCES[path.subresource].verbs
    else:
        without = {"create"} if path.name else set()
        if (resource.group, resource.plural) in WITHOUT_DELETE_COLLECTION:
            without.add("deletecollection")
        allowed = tuple(verb for verb in VERBS if verb not in without)
    if verb in allowed:
        return verb
    if kind.builtin:
        raise MethodNotAllowed("the server does not allow this method on the requested resource")
    raise MethodNotAllowed(
        f'{verb} is not supported on resources of kind "{resource.group_resource}"',
        group=resource.group,
        kind=resource.plural,
    )
