"""What every namespace has from the start: the ServiceAccount ``default`` and the ConfigMap with the cluster's CA."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import ClassVar

from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, SERVICE_ACCOUNTS, Resource
from sidings.api.service_accounts import DEFAULT_ACCOUNT, ROOT_CA
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.every_namespace import InEveryNamespace, namespace_of_any
from sidings.controllers.runtime.controller import Mapper

ROOT_CA_NOTE = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as "
    "the internal service IP or kubernetes.default.svc. No other usage is guaranteed."
)
"""The annotation ``kubernetes.io/description`` that clients find there on a cluster (v1.36)."""


class ServiceAccounts(InEveryNamespace):
    """Makes both anew when somebody deletes them."""

    name = "service-account-controller"
    triggers: ClassVar[Mapping[Resource, Mapper]] = dict.fromkeys(
        (SERVICE_ACCOUNTS, CONFIG_MAPS), namespace_of_any(DEFAULT_ACCOUNT, ROOT_CA)
    )

    def __init__(self, client: Client, clock: Clock, rng: random.Random, ca: str) -> None:
        """``ca`` is the PEM text of the certificate authority behind the API server."""
        super().__init__(client, clock, rng)
        self._contents = {
            SERVICE_ACCOUNTS: _object(SERVICE_ACCOUNTS, {"name": DEFAULT_ACCOUNT}),
            CONFIG_MAPS: _object(
                CONFIG_MAPS,
                {"name": ROOT_CA, "annotations": {"kubernetes.io/description": ROOT_CA_NOTE}},
                data={"ca.crt": ca},
            ),
        }

    def contents(self, namespace: str) -> Mapping[Resource, Object]:
        return self._contents


def _object(resource: Resource, metadata: Object, **fields: Object) -> Object:
    return {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, **fields}
