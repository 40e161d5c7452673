"""Which changes of a queue make its Workloads worth a look."""

import random
from typing import Any

import pytest

from sidings.api.objects import Key
from sidings.api.resources import CLUSTER_QUEUES, LOCAL_QUEUES
from sidings.controllers.kueue.settings import Settings
from sidings.controllers.kueue.workloads import Workloads
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime
W = Key("team", "w")


def controller(cluster: Cluster) -> Workloads:
    client, clock = cluster.plane.client, cluster.plane.clock
    made = Workloads(client, clock, random.Random(1), Settings(client, clock))
    made.keys({"metadata": {"name": "w", "namespace": "team"}, "spec": {"queueName": "lq"}})
    made.watched()[LOCAL_QUEUES](local_queue())
    return made


def local_queue(**status: Any) -> dict[str, Any]:
    return {"metadata": {"name": "lq", "namespace": "team"}, "spec": {"clusterQueue": "cq"}, "status": status}


def cluster_queue(stop: str = "None", active: str = "True", **status: Any) -> dict[str, Any]:
    status["conditions"] = [{"type": "Active", "status": active}]
    return {"metadata": {"name": "cq"}, "spec": {"stopPolicy": stop}, "status": status}


async def test_counters_of_a_queue_are_no_news(cluster: Cluster) -> None:
    """They change with every job; a look at all Workloads each time would cost more per job the more there are."""
    told = controller(cluster).watched()
    assert list(told[CLUSTER_QUEUES](cluster_queue(pendingWorkloads=1))) == [W]
    assert list(told[CLUSTER_QUEUES](cluster_queue(pendingWorkloads=2))) == []
    assert list(told[LOCAL_QUEUES](local_queue(pendingWorkloads=3))) == []


async def test_what_decides_is(cluster: Cluster) -> None:
    told = controller(cluster).watched()[CLUSTER_QUEUES]
    told(cluster_queue(pendingWorkloads=1))
    assert list(told(cluster_queue(stop="Hold", pendingWorkloads=2))) == [W]
    assert list(told(cluster_queue(stop="Hold", active="False", pendingWorkloads=3))) == [W]


async def test_a_deletion_is_news(cluster: Cluster) -> None:
    told = controller(cluster).watched()[LOCAL_QUEUES]
    assert list(told(local_queue())) == [W]


async def test_a_workload_that_changes_its_queue_is_told_of_the_new_one_alone(cluster: Cluster) -> None:
    made = controller(cluster)
    made.keys({"metadata": {"name": "w", "namespace": "team"}, "spec": {"queueName": "other"}})
    assert list(made.watched()[LOCAL_QUEUES](local_queue())) == []


async def test_workloads_say_that_their_queue_has_gone(cluster: Cluster) -> None:
    await cluster.queue(quota="1")
    await cluster.job("a", pods=2)
    await cluster.settle()
    await cluster.plane.client.delete(LOCAL_QUEUES, "lq", "team")
    await cluster.settle()
    assert (await cluster.condition("a", "QuotaReserved"))["message"] == "LocalQueue lq doesn't exist"
