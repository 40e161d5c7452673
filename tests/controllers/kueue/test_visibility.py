"""Positions in queues."""

from __future__ import annotations

import pytest

from sidings.api.resources import LOCAL_QUEUES
from sidings.api.status import NotFound
from sidings.controllers.kueue.visibility import PendingList
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime


async def test_positions_count_in_both_queues(cluster: Cluster) -> None:
    await cluster.queue("1")
    await cluster.make(LOCAL_QUEUES, "other", {"clusterQueue": "cq"})
    for name, queue in (("runs", "lq"), ("first", "lq"), ("second", "other"), ("third", "lq")):
        await cluster.job(name, queue=queue)
        await cluster.settle()
    pending = PendingList(cluster.plane.kueue.scheduler.cache)
    found = pending.of_cluster_queue("cq")
    owners = [item["metadata"]["ownerReferences"][0]["name"] for item in found]
    assert owners == ["first", "second", "third"]
    assert [item["positionInClusterQueue"] for item in found] == [0, 1, 2]
    assert [item["positionInLocalQueue"] for item in found] == [0, 0, 1]
    assert [item["localQueueName"] for item in pending.of_local_queue("team", "other")] == ["other"]


async def test_a_queue_that_is_not_there(cluster: Cluster) -> None:
    pending = PendingList(cluster.plane.kueue.scheduler.cache)
    with pytest.raises(NotFound, match='"none" not found'):
        pending.of_cluster_queue("none")
    with pytest.raises(NotFound):
        pending.of_local_queue("team", "none")
