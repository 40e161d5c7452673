"""Where pods find the object storage of ``up --s3``: a Service in ``default``, a data connection in every namespace.

The data connection is the Secret that OpenShift AI writes for one (``AWS_S3_ENDPOINT``, ``AWS_S3_BUCKET``, its labels),
with the names of AWS's own tools and of Trainer's initializers beside them: ``envFrom: [{secretRef: {name: s3}}]`` is
all that a pod needs. The Service has no selector: the endpoint is where the node carries connections to the server.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from sidings.api.kinds.endpoint_slice import SERVICE_NAME
from sidings.api.objects import Key, Object, is_deleting, namespace_of
from sidings.api.resources import ENDPOINT_SLICES, NAMESPACES, SECRETS, SERVICES, Resource
from sidings.api.status import AlreadyExists, NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller, Mapper

NAME = "s3"
NAMESPACE = "default"
PORT = 9000
"""MinIO's."""
BUCKET = "data"
"""The one that is there from the start, and that the data connection names."""
REGION = "us-east-1"
URL = f"http://{NAME}.{NAMESPACE}.svc.cluster.local:{PORT}"


class Credentials(NamedTuple):
    identifier: str
    secret: str


def _namespace(obj: Object) -> tuple[Key, ...]:
    return (Key("", namespace_of(obj)),) if obj["metadata"]["name"] == NAME else ()


class ObjectStorage(Controller):
    """Makes them anew when somebody deletes them; what somebody changed in the Secret's keys is put right."""

    name = "object-storage"
    resource = NAMESPACES
    triggers: ClassVar[Mapping[Resource, Mapper]] = {
        SECRETS: _namespace, SERVICES: _namespace, ENDPOINT_SLICES: _namespace,
    }  # fmt: skip
    workers = 1

    def __init__(
        self, client: Client, clock: Clock, rng: random.Random, *, credentials: Credentials, address: str, port: int
    ) -> None:
        """``address`` and ``port``: where the node carries connections to the server."""
        super().__init__(client, clock, rng)
        self._secret = data_connection(credentials)
        self._way = way(address, port)

    async def reconcile(self, key: Key) -> float | None:
        try:
            if is_deleting(await self.client.get(NAMESPACES, key.name)):
                return None
        except NotFound:
            return None
        wanted = {SECRETS: self._secret, **(self._way if key.name == NAMESPACE else {})}
        for resource, obj in wanted.items():
            await self._ensure(resource, obj, key.name)
        return None

    async def _ensure(self, resource: Resource, wanted: Object, namespace: str) -> None:
        try:
            live = await self.client.get(resource, NAME, namespace)
        except NotFound:
            try:
                await self.client.create(resource, wanted, namespace=namespace, field_manager=self.name)
            except AlreadyExists:
                await self._ensure(resource, wanted, namespace)
            return
        changed = {name: wanted[name] for name in ("data", "endpoints", "ports") if live.get(name) != wanted.get(name)}
        if changed:
            await self.client.patch(resource, NAME, changed, namespace=namespace, field_manager=self.name)


def data_connection(credentials: Credentials) -> Object:
    """The Secret, without its namespace."""
    values = {
        "AWS_ACCESS_KEY_ID": credentials.identifier,
        "AWS_SECRET_ACCESS_KEY": credentials.secret,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_S3_ENDPOINT": URL,
        "AWS_S3_BUCKET": BUCKET,
        "AWS_ENDPOINT_URL": URL,
        "ACCESS_KEY_ID": credentials.identifier,
        "SECRET_ACCESS_KEY": credentials.secret,
        "REGION": REGION,
        "ENDPOINT": URL,
    }
    made = _object(
        SECRETS,
        {"opendatahub.io/dashboard": "true", "opendatahub.io/managed": "true"},
        type="Opaque",
        data={name: base64.b64encode(value.encode()).decode() for name, value in values.items()},
    )
    made["metadata"]["annotations"] = {
        "opendatahub.io/connection-type": "s3",
        "openshift.io/display-name": "The S3 in the box",
    }
    return made


def way(address: str, target: int) -> dict[Resource, Object]:
    """The Service and its one endpoint."""
    port = {"name": "s3", "protocol": "TCP"}
    return {
        SERVICES: _object(SERVICES, {}, spec={"ports": [{**port, "port": PORT, "targetPort": target}]}),
        ENDPOINT_SLICES: _object(
            ENDPOINT_SLICES,
            {SERVICE_NAME: NAME},
            addressType="IPv4",
            endpoints=[{"addresses": [address], "conditions": {"ready": True}}],
            ports=[{**port, "port": target}],
        ),
    }


def _object(resource: Resource, labels: Mapping[str, str], **fields: object) -> Object:
    metadata: Object = {"name": NAME, "labels": dict(labels)}
    return {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, **fields}
