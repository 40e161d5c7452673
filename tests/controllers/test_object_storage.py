"""What pods find of object storage: in every namespace, and again when it was deleted or changed."""

from __future__ import annotations

import random
from base64 import b64decode

import pytest

from sidings.api.resources import ENDPOINT_SLICES, NAMESPACES, SECRETS, SERVICES
from sidings.api.status import NotFound
from sidings.controllers.object_storage import Credentials, ObjectStorage
from sidings.host.control_plane import ControlPlane

pytestmark = pytest.mark.looptime


def controller(plane: ControlPlane) -> ObjectStorage:
    keys = Credentials("KEY", "secret")
    return ObjectStorage(plane.client, plane.clock, random.Random(0), credentials=keys, address="10.244.0.1", port=9000)


async def test_every_namespace_has_a_data_connection_that_comes_back(plane: ControlPlane) -> None:
    await plane.client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    storage = controller(plane)
    key = next(iter(storage.keys(await plane.client.get(NAMESPACES, "team"))))
    await storage.reconcile(key)
    made = await plane.client.get(SECRETS, "s3", "team")
    values = {name: b64decode(value).decode() for name, value in made["data"].items()}
    assert values["AWS_S3_ENDPOINT"] == values["ENDPOINT"] == "http://s3.default.svc.cluster.local:9000"
    assert (values["AWS_ACCESS_KEY_ID"], values["AWS_SECRET_ACCESS_KEY"]) == ("KEY", "secret")
    assert values["AWS_S3_BUCKET"] == "data"

    await plane.client.patch(SECRETS, "s3", {"data": {"AWS_ACCESS_KEY_ID": "eA=="}}, namespace="team")
    await storage.reconcile(key)
    assert (await plane.client.get(SECRETS, "s3", "team"))["data"] == made["data"]
    with pytest.raises(NotFound):
        await plane.client.get(SERVICES, "s3", "team")


async def test_the_service_is_in_default_and_leads_to_the_node(plane: ControlPlane) -> None:
    storage = controller(plane)
    await storage.reconcile(next(iter(storage.keys(await plane.client.get(NAMESPACES, "default")))))
    service = await plane.client.get(SERVICES, "s3", "default")
    assert service["spec"]["clusterIP"].startswith("10.")
    assert [port["port"] for port in service["spec"]["ports"]] == [9000]
    [endpoint] = (await plane.client.get(ENDPOINT_SLICES, "s3", "default"))["endpoints"]
    assert endpoint["addresses"] == ["10.244.0.1"]
