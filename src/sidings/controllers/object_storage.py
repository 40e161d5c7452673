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
from sidings.api.objects import Object, namespace_of, uid_of
from sidings.api.resources import ENDPOINT_SLICES, SECRETS, SERVICES, Resource
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.every_namespace import InEveryNamespace, namespace_of_any
from sidings.controllers.runtime.controller import Mapper

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


class ObjectStorage(InEveryNamespace):
    """Makes them anew when somebody deletes them; what somebody changed in the Secret's keys is put right."""

    name = "object-storage"
    triggers: ClassVar[Mapping[Resource, Mapper]] = dict.fromkeys(
        (SECRETS, SERVICES, ENDPOINT_SLICES), namespace_of_any(NAME)
    )
    workers = 1

    def __init__(
        self, client: Client, clock: Clock, rng: random.Random, *, credentials: Credentials, address: str, port: int
    ) -> None:
        """``address`` and ``port``: where the node carries connections to the server."""
        super().__init__(client, clock, rng)
        self._secret = data_connection(credentials)
        self._way = way(address, port)

    def contents(self, namespace: str) -> Mapping[Resource, Object]:
        return {SECRETS: self._secret, **(self._way if namespace == NAMESPACE else {})}


async def withdraw(client: Client) -> None:
    """Delete what an engine with ``up --s3`` has made; an object that somebody else has written to as well stays."""
    for resource in (SECRETS, SERVICES, ENDPOINT_SLICES):
        for obj in (await client.list(resource, field_selector=f"metadata.name={NAME}")).items:
            if {entry["manager"] for entry in obj["metadata"].get("managedFields", ())} == {ObjectStorage.name}:
                await client.delete(resource, NAME, namespace_of(obj), uid=uid_of(obj))


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
