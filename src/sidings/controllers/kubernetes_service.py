"""The Service ``kubernetes`` in ``default``: how a pod finds the API server, which keeps it there itself upstream.

It has no selector; its one endpoint is where the node carries connections to the API server (``node/``), so that
clients with the in-cluster configuration work as they are.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api.kinds.endpoint_slice import SERVICE_NAME
from sidings.api.objects import Key, Object, copy_of, key_of
from sidings.api.resources import ENDPOINT_SLICES, ENDPOINTS, NAMESPACES, SERVICES, Resource
from sidings.api.status import AlreadyExists, NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller, Mapper

KEY = Key("default", "kubernetes")
_PORT_NAME, _SERVICE_PORT = "https", 443
SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror"
"""Label of Endpoints whose EndpointSlices are somebody else's work."""


def _mine(obj: Object) -> tuple[Key, ...]:
    return (KEY,) if key_of(obj) == KEY else ()


def _default(namespace: Object) -> tuple[Key, ...]:
    return (KEY,) if namespace["metadata"]["name"] == KEY.namespace else ()


class KubernetesService(Controller):
    """Makes the Service, its Endpoints and its EndpointSlice, and makes them anew when somebody changes them."""

    name = "kubernetes-service"
    resource = SERVICES
    triggers: ClassVar[Mapping[Resource, Mapper]] = {NAMESPACES: _default, ENDPOINTS: _mine, ENDPOINT_SLICES: _mine}
    workers = 1

    def __init__(
        self, client: Client, clock: Clock, rng: random.Random, *, cluster_ip: str, address: str, port: int
    ) -> None:
        """``cluster_ip`` is the Service's address, ``address`` and ``port`` that of the API server behind it."""
        super().__init__(client, clock, rng)
        self._wanted = objects(cluster_ip, address, port)

    def keys(self, obj: Object) -> Iterable[Key]:
        return _mine(obj)

    async def reconcile(self, key: Key) -> float | None:
        for resource, wanted in self._wanted.items():
            try:
                live = await self.client.get(resource, key.name, key.namespace)
            except NotFound:
                try:
                    await self.client.create(resource, wanted, namespace=key.namespace, field_manager=self.name)
                except AlreadyExists:
                    return 0.0
                continue
            changed = copy_of(live)
            for field in wanted.keys() - {"apiVersion", "kind", "metadata", "spec"}:
                changed[field] = wanted[field]
            changed["metadata"]["labels"] = {**(live["metadata"].get("labels") or {}), **wanted["metadata"]["labels"]}
            if "spec" in wanted:
                changed["spec"] |= wanted["spec"]
            if changed != live:
                await self.client.update(resource, changed, field_manager=self.name)
        return None


def objects(cluster_ip: str, address: str, port: int) -> dict[Resource, Object]:
    """The three objects as they should be."""
    endpoint_port = {"name": _PORT_NAME, "port": port, "protocol": "TCP"}
    service_port = {"name": _PORT_NAME, "port": _SERVICE_PORT, "protocol": "TCP", "targetPort": port}
    return {
        SERVICES: _object(
            SERVICES,
            {"component": "apiserver", "provider": "kubernetes"},
            spec={"clusterIP": cluster_ip, "clusterIPs": [cluster_ip], "ports": [service_port]},
        ),
        ENDPOINTS: _object(
            ENDPOINTS, {SKIP_MIRROR: "true"}, subsets=[{"addresses": [{"ip": address}], "ports": [endpoint_port]}]
        ),
        ENDPOINT_SLICES: _object(
            ENDPOINT_SLICES,
            {SERVICE_NAME: KEY.name},
            addressType="IPv4",
            endpoints=[{"addresses": [address], "conditions": {"ready": True}}],
            ports=[endpoint_port],
        ),
    }


def _object(resource: Resource, labels: Mapping[str, str], **fields: object) -> Object:
    metadata = {"name": KEY.name, "namespace": KEY.namespace, "labels": dict(labels)}
    return {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, **fields}
