"""Kueue as OpenShift AI sets it up: by its operator's object, and by a DataScienceCluster."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sidings.api.objects import Object, labels_of
from sidings.api.resources import (
    CLUSTER_QUEUES,
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    CONFIG_MAPS,
    DATA_SCIENCE_CLUSTERS,
    JOBS,
    KUEUE_OPERATORS,
    LOCAL_QUEUES,
    NAMESPACES,
    NODES,
    Resource,
)
from sidings.api.status import Invalid, NotFound
from sidings.host.control_plane import ControlPlane
from tests import control_planes

pytestmark = pytest.mark.looptime
CONTAINER = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
ALLOCATABLE = {"cpu": "8", "memory": "32Gi", "pods": "110"}


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    async for made in control_planes.running():
        await made.client.create(NODES, {"metadata": {"name": "n"}, "status": {"allocatable": ALLOCATABLE}})
        for name, labels in (("team", {"kueue.openshift.io/managed": "true"}), ("free", {})):
            await made.client.create(NAMESPACES, {"metadata": {"name": name, "labels": labels}})
        yield made


def cluster(state: str) -> Object:
    return {"metadata": {"name": "default-dsc"}, "spec": {"components": {"kueue": {"managementState": state}}}}


async def exists(plane: ControlPlane, resource: Resource, name: str, namespace: str = "") -> bool:
    try:
        await plane.client.get(resource, name, namespace)
    except NotFound:
        return False
    return True


async def submit(plane: ControlPlane, namespace: str, name: str, queue: str = "") -> Object:
    labels = {"kueue.x-k8s.io/queue-name": queue} if queue else {}
    template = {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}
    job = {"metadata": {"name": name, "labels": labels}, "spec": {"template": template}}
    await plane.client.create(JOBS, job, namespace=namespace)
    await plane.clock.sleep(3)
    return await plane.client.get(JOBS, name, namespace)


async def test_the_operator_limits_queues_to_labelled_namespaces(plane: ControlPlane) -> None:
    assert (await submit(plane, "free", "before", "lq"))["spec"]["suspend"] is True
    await plane.client.create(KUEUE_OPERATORS, {"metadata": {"name": "cluster"}, "spec": {}})
    await plane.clock.sleep(1)
    assert (await submit(plane, "team", "queued", "lq"))["spec"]["suspend"] is True
    assert (await submit(plane, "free", "runs", "lq"))["spec"]["suspend"] is False
    await plane.client.delete(KUEUE_OPERATORS, "cluster")
    await plane.clock.sleep(5)
    assert (await submit(plane, "free", "after", "lq"))["spec"]["suspend"] is True


async def test_what_others_write_into_the_configuration_is_undone(plane: ControlPlane) -> None:
    await plane.client.create(KUEUE_OPERATORS, {"metadata": {"name": "cluster"}, "spec": {}})
    await plane.clock.sleep(1)
    before = await plane.client.get(CONFIG_MAPS, "kueue-manager-config", "kueue-system")
    body = {"data": {"controller_manager_config.yaml": "kind: Configuration"}}
    await plane.client.patch(CONFIG_MAPS, "kueue-manager-config", body, namespace="kueue-system")
    await plane.clock.sleep(1)
    assert (await plane.client.get(CONFIG_MAPS, "kueue-manager-config", "kueue-system"))["data"] == before["data"]


async def test_unknown_frameworks_are_refused(plane: ControlPlane) -> None:
    spec = {"config": {"integrations": {"frameworks": ["PytorchJob"]}}}
    with pytest.raises(Invalid, match='Unsupported value: "PytorchJob"'):
        await plane.client.create(KUEUE_OPERATORS, {"metadata": {"name": "cluster"}, "spec": spec})


async def test_a_cluster_brings_queues_and_jobs_without_one_use_them(plane: ControlPlane) -> None:
    await plane.client.create(DATA_SCIENCE_CLUSTERS, cluster("Unmanaged"))
    await plane.clock.sleep(1)
    job = await submit(plane, "team", "unnamed")
    assert labels_of(job)["kueue.x-k8s.io/queue-name"] == "default"
    assert job["spec"]["suspend"] is False
    assert job["spec"]["template"]["metadata"]["labels"]["kueue.x-k8s.io/cluster-queue-name"] == "default"
    assert not await exists(plane, LOCAL_QUEUES, "default", "free")
    namespace = await plane.client.get(NAMESPACES, "team")
    assert labels_of(namespace)["kueue-managed"] == "true"

    await plane.client.create(NAMESPACES, {"metadata": {"name": "late", "labels": {"kueue-managed": "true"}}})
    await plane.clock.sleep(1)
    assert await exists(plane, LOCAL_QUEUES, "default", "late")
    binding = await plane.client.get(CLUSTER_ROLE_BINDINGS, "kueue-admin-rolebinding")
    assert await exists(plane, CLUSTER_ROLES, binding["roleRef"]["name"])


async def test_what_an_administrator_changed_stays(plane: ControlPlane) -> None:
    await plane.client.create(DATA_SCIENCE_CLUSTERS, cluster("Unmanaged"))
    await plane.clock.sleep(1)
    await plane.client.patch(CLUSTER_QUEUES, "default", {"spec": {"stopPolicy": "Hold"}})
    await plane.client.create(NAMESPACES, {"metadata": {"name": "late"}})
    await plane.clock.sleep(1)
    assert (await plane.client.get(CLUSTER_QUEUES, "default"))["spec"]["stopPolicy"] == "Hold"


async def test_removed_takes_the_operator_back_and_leaves_the_queues(plane: ControlPlane) -> None:
    await plane.client.create(DATA_SCIENCE_CLUSTERS, cluster("Unmanaged"))
    await plane.clock.sleep(1)
    assert await exists(plane, KUEUE_OPERATORS, "cluster")
    body = {"spec": {"components": {"kueue": {"managementState": "Removed"}}}}
    await plane.client.patch(DATA_SCIENCE_CLUSTERS, "default-dsc", body)
    await plane.clock.sleep(5)
    assert not await exists(plane, KUEUE_OPERATORS, "cluster")
    assert not await exists(plane, CONFIG_MAPS, "kueue-manager-config", "kueue-system")
    assert await exists(plane, CLUSTER_QUEUES, "default")
    assert (await submit(plane, "team", "off", "default"))["spec"]["suspend"] is False


async def test_an_operator_that_a_person_made_stays(plane: ControlPlane) -> None:
    await plane.client.create(KUEUE_OPERATORS, {"metadata": {"name": "cluster"}, "spec": {}})
    await plane.client.create(DATA_SCIENCE_CLUSTERS, cluster("Removed"))
    await plane.clock.sleep(2)
    assert await exists(plane, KUEUE_OPERATORS, "cluster")
