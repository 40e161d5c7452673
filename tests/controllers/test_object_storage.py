"""What pods find of object storage: in every namespace, and again when it was deleted or changed."""

from __future__ import annotations

import random
from base64 import b64decode

import pytest

from sidings.api.resources import ENDPOINT_SLICES, NAMESPACES, SECRETS, SERVICES
from sidings.api.status import NotFound
from sidings.controllers.object_storage import Credentials, ObjectStorage, withdraw
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


async def test_an_engine_without_it_takes_back_what_is_nobody_elses(plane: ControlPlane) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
    await plane.client.create(NAMESPACES, namespace)
    storage = controller(plane)
    for name in ("team", "default"):
        await storage.reconcile(next(iter(storage.keys(await plane.client.get(NAMESPACES, name)))))
    await plane.client.patch(SECRETS, "s3", {"data": {"MORE": "eA=="}}, namespace="team", field_manager="kubectl-edit")
    own = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s3"}, "data": {"AWS_S3_BUCKET": "eA=="}}
    await plane.client.create(SECRETS, own, namespace="kube-public")

    await withdraw(plane.client)
    await withdraw(plane.client)
    for resource in (SECRETS, SERVICES, ENDPOINT_SLICES):
        with pytest.raises(NotFound):
            await plane.client.get(resource, "s3", "default")
    for name in ("team", "kube-public"):
        await plane.client.get(SECRETS, "s3", name)
