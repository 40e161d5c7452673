"""EndpointSlices: what Endpoints say, for clients that read the newer kind.

Upstream has two controllers, one that looks at pods once more and one that mirrors Endpoints written by hand. Here all
slices follow from the Endpoints, which are there already: one rule, and a Service with many pods is looked at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from sidings.api.kinds.endpoint_slice import MANAGED_BY, MANAGER, SERVICE_NAME
from sidings.api.objects import Key, Object, copy_of, key_of, labels_of, name_of, namespace_of, uid_of
from sidings.api.resources import ENDPOINT_SLICES, ENDPOINTS, SERVICES, Resource
from sidings.api.status import AlreadyExists, NotFound
from sidings.controllers.kubernetes_service import SKIP_MIRROR
from sidings.controllers.runtime.controller import Controller, Mapper

MIRROR = "endpointslicemirroring-controller.k8s.io"
MOST_ENDPOINTS = 1000
"""Of one slice: the limit of the API."""
SETTLE_SECONDS = 0.2
"""How long changes are gathered: the pods of a job become ready one by one."""


def _endpoints_key(endpoints: Object) -> tuple[Key, ...]:
    return (key_of(endpoints),)


class EndpointSlices(Controller):
    """Keys are those of Services, which Endpoints share."""

    name = "endpointslice-controller"
    resource = ENDPOINT_SLICES
    triggers: ClassVar[Mapping[Resource, Mapper]] = {ENDPOINTS: _endpoints_key}
    workers = 2

    def keys(self, obj: Object) -> Iterable[Key]:
        """Slices that others manage are theirs."""
        labels = labels_of(obj)
        mine = labels.get(MANAGED_BY) in (MANAGER, MIRROR) and SERVICE_NAME in labels
        return (Key(namespace_of(obj), labels[SERVICE_NAME]),) if mine else ()

    def settle_seconds(self, obj: Object) -> float:
        return SETTLE_SECONDS

    async def reconcile(self, key: Key) -> float | None:
        wanted = {name_of(made): made for made in await self._wanted(key)}
        selector = f"{SERVICE_NAME}={key.name},{MANAGED_BY} in ({MANAGER},{MIRROR})"
        for live in (await self.client.list(ENDPOINT_SLICES, key.namespace, label_selector=selector)).items:
            made = wanted.pop(name_of(live), None)
            if made is None:
                await self.client.delete(ENDPOINT_SLICES, name_of(live), key.namespace, uid=uid_of(live))
            elif _said(live) != _said(made):
                changed = copy_of(live) | {"endpoints": made["endpoints"], "ports": made["ports"]}
                changed["metadata"]["labels"] = made["metadata"]["labels"]
                await self.client.update(ENDPOINT_SLICES, changed, field_manager=self.name)
        for made in wanted.values():
            try:
                await self.client.create(ENDPOINT_SLICES, made, namespace=key.namespace, field_manager=self.name)
            except AlreadyExists:
                continue  # somebody else's; it is looked at again when that goes
        return None

    async def _wanted(self, key: Key) -> list[Object]:
        try:
            endpoints = await self.client.get(ENDPOINTS, key.name, key.namespace)
            service = await self.client.get(SERVICES, key.name, key.namespace)
        except NotFound:
            return []
        return [] if labels_of(endpoints).get(SKIP_MIRROR) == "true" else list(slices(service, endpoints))


def slices(service: Object, endpoints: Object) -> Iterator[Object]:
    """The EndpointSlices of ``endpoints``: one or more for each subset, an empty one where there is none."""
    selected = bool(service["spec"].get("selector"))
    owner, resource = (service, SERVICES) if selected else (endpoints, ENDPOINTS)
    reference = {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": name_of(owner),
        "uid": uid_of(owner),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    manager = {SERVICE_NAME: name_of(service), MANAGED_BY: MANAGER if selected else MIRROR}
    for number, (ports, found) in enumerate(_chunks(endpoints)):
        metadata = {
            "name": _name(service, number),
            "namespace": namespace_of(service),
            "labels": {**labels_of(endpoints), **manager},
            "ownerReferences": [reference],
        }
        yield {
            "apiVersion": ENDPOINT_SLICES.api_version,
            "kind": ENDPOINT_SLICES.kind,
            "metadata": metadata,
            "addressType": "IPv4",
            "endpoints": found,
            "ports": ports,
        }


def _chunks(endpoints: Object) -> Iterator[tuple[list[Object], list[Object]]]:
    """(ports, endpoints) of each slice."""
    for subset in endpoints.get("subsets") or [{}]:
        ports = [{"name": "", **port} for port in subset.get("ports") or ()]
        found = [_endpoint(address, ready=True) for address in subset.get("addresses") or ()]
        found += [_endpoint(address, ready=False) for address in subset.get("notReadyAddresses") or ()]
        for start in range(0, max(len(found), 1), MOST_ENDPOINTS):
            yield ports, found[start : start + MOST_ENDPOINTS]


def _endpoint(address: Object, *, ready: bool) -> Object:
    made: Object = {
        "addresses": [address["ip"]],
        "conditions": {"ready": ready, "serving": ready, "terminating": False},
    }
    return made | {name: address[name] for name in ("hostname", "nodeName", "targetRef") if address.get(name)}


def _name(service: Object, number: int) -> str:
    """Like a generated one, but the same every time: a slice that is there is found again."""
    digest = hashlib.sha256(f"{uid_of(service)}/{number}".encode()).hexdigest()
    return f"{name_of(service)}-{digest[:5]}"


def _said(obj: Object) -> tuple[Any, ...]:
    return obj.get("endpoints") or [], obj.get("ports") or [], labels_of(obj)
