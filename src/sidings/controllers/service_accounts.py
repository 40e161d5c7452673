"""What every namespace has from the start: the ServiceAccount ``default`` and the ConfigMap with the cluster's CA."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import ClassVar

from sidings.api.objects import Key, Object, is_deleting, namespace_of
from sidings.api.resources import CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS, Resource
from sidings.api.service_accounts import DEFAULT_ACCOUNT, ROOT_CA
from sidings.api.status import AlreadyExists, NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller, Mapper

ROOT_CA_NOTE = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as "
    "the internal service IP or kubernetes.default.svc. No other usage is guaranteed."
)
"""The annotation ``kubernetes.io/description`` that clients find there on a cluster (v1.36)."""


def _namespace(obj: Object) -> tuple[Key, ...]:
    return (Key("", namespace_of(obj)),) if obj["metadata"]["name"] in (DEFAULT_ACCOUNT, ROOT_CA) else ()


class ServiceAccounts(Controller):
    """Makes both anew when somebody deletes them."""

    name = "service-account-controller"
    resource = NAMESPACES
    triggers: ClassVar[Mapping[Resource, Mapper]] = {SERVICE_ACCOUNTS: _namespace, CONFIG_MAPS: _namespace}

    def __init__(self, client: Client, clock: Clock, rng: random.Random, ca: str) -> None:
        """``ca`` is the PEM text of the certificate authority behind the API server."""
        super().__init__(client, clock, rng)
        self._ca = ca

    async def reconcile(self, key: Key) -> float | None:
        try:
            if is_deleting(await self.client.get(NAMESPACES, key.name)):
                return None
        except NotFound:
            return None
        await self._ensure(SERVICE_ACCOUNTS, {"metadata": {"name": DEFAULT_ACCOUNT, "namespace": key.name}})
        bundle: Object = {
            "metadata": {
                "name": ROOT_CA,
                "namespace": key.name,
                "annotations": {"kubernetes.io/description": ROOT_CA_NOTE},
            },
            "data": {"ca.crt": self._ca},
        }
        live = await self._ensure(CONFIG_MAPS, bundle)
        if live is not None and live.get("data") != bundle["data"]:
            change = {"data": bundle["data"]}
            await self.client.patch(CONFIG_MAPS, ROOT_CA, change, namespace=key.name, field_manager=self.name)
        return None

    async def _ensure(self, resource: Resource, obj: Object) -> Object | None:
        """The object that is there already, or None after it was made."""
        metadata = obj["metadata"]
        try:
            return await self.client.get(resource, metadata["name"], metadata["namespace"])
        except NotFound:
            pass
        whole = {"apiVersion": resource.api_version, "kind": resource.kind, **obj}
        try:
            await self.client.create(resource, whole, namespace=metadata["namespace"], field_manager=self.name)
        except AlreadyExists:
            return await self.client.get(resource, metadata["name"], metadata["namespace"])
        return None
