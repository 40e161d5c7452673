from __future__ import annotations

import pytest

from sidings.api.resources import PODS
from sidings.api.status import NotFound
from sidings.node.status_writer import StatusWriter
from tests.node.clusters import Cluster


async def test_what_says_nothing_new_is_not_written(cluster: Cluster) -> None:
    await cluster.run("true", nodeName="elsewhere")
    made = await cluster.get()
    writer = StatusWriter(cluster.client)
    ready = {"type": "Ready", "status": "False", "reason": "ContainersNotReady"}
    first = await writer.write(made, {"phase": "Pending", "conditions": [ready]})
    assert first is not None and first["status"]["phase"] == "Pending"
    assert await writer.write(made, {"phase": "Pending", "conditions": [{**ready, "message": None}]}) is None
    second = await writer.write(made, {"phase": "Running", "conditions": [ready]})
    assert second is not None and second["metadata"]["resourceVersion"] != first["metadata"]["resourceVersion"]


async def test_of_a_pod_that_is_gone_nothing_can_be_written(cluster: Cluster) -> None:
    await cluster.run("true", nodeName="elsewhere")
    made = await cluster.get()
    await cluster.client.delete(PODS, "p", "default", grace_period_seconds=0)
    with pytest.raises(NotFound):
        await StatusWriter(cluster.client).write(made, {"phase": "Pending", "conditions": []})
