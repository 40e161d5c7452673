"""A pod of a group that is deleted before it could run is held by nothing."""

from __future__ import annotations

import pytest

from sidings.api.kueue import keys
from sidings.api.objects import Object
from sidings.api.resources import PODS, WORKLOADS
from sidings.api.status import NotFound
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime


def member(name: str, cpu: str) -> Object:
    labels = {keys.QUEUE_NAME: "lq", keys.POD_GROUP: "g"}
    container = {"name": "c", "image": "i", "command": ["true"], "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "team",
            "labels": labels,
            "annotations": {keys.POD_GROUP_TOTAL: "2"},
        },
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }


async def is_gone(cluster: Cluster, name: str) -> bool:
    try:
        await cluster.plane.client.get(PODS, name, "team")
    except NotFound:
        return True
    return False


async def test_of_a_group_that_is_not_complete(cluster: Cluster) -> None:
    await cluster.queue("2")
    await cluster.plane.client.create(PODS, member("g-0", "1"))
    await cluster.settle()
    assert (await cluster.plane.client.list(WORKLOADS, "team")).items == []
    await cluster.plane.client.delete(PODS, "g-0", "team")
    await cluster.settle(60)
    assert await is_gone(cluster, "g-0")


async def test_of_a_group_that_waits_for_quota(cluster: Cluster) -> None:
    await cluster.queue("2")
    for name in ("g-0", "g-1"):
        await cluster.plane.client.create(PODS, member(name, "4"))
    await cluster.settle()
    assert len((await cluster.plane.client.list(WORKLOADS, "team")).items) == 1
    await cluster.plane.client.delete(PODS, "g-0", "team")
    await cluster.settle(60)
    assert await is_gone(cluster, "g-0")
    assert not await is_gone(cluster, "g-1")
