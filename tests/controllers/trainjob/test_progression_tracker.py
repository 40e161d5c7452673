"""The tracker on virtual time; the test is the first node, over real sockets that are pairs."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sidings.api.objects import Object, annotations_of
from sidings.api.resources import PODS, TRAIN_JOBS
from sidings.api.trainer import words
from sidings.controllers.trainjob import progression
from sidings.controllers.trainjob.progression_tracker import ProgressionTracker
from tests.controllers.trainjob.conftest import World
from tests.trainjobs import NAMESPACE, train_job

pytestmark = pytest.mark.looptime


class Node:
    """Answers each connection at once with ``page``."""

    def __init__(self) -> None:
        self.page = b""
        self.asked = 0
        self.open: list[socket.socket] = []

    async def connect(self, pod: Object, port: int) -> socket.socket:
        self.asked += 1
        if not self.page:
            raise ConnectionRefusedError
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + self.page)
        theirs.shutdown(socket.SHUT_WR)
        self.open.append(theirs)
        return ours


@pytest.fixture
async def node(world: World) -> AsyncIterator[Node]:
    it = Node()
    task = asyncio.create_task(ProgressionTracker(world.client, world.clock, random.Random(1), it).run())
    job = train_job({})
    job["metadata"]["annotations"] = {progression.TRACKING: "true", progression.INTERVAL: "10"}
    made = {**job, "metadata": {"name": "tj", "annotations": job["metadata"]["annotations"]}}
    await world.client.create(TRAIN_JOBS, made, namespace=NAMESPACE)
    labels = {
        "jobset.sigs.k8s.io/jobset-name": "tj",
        "jobset.sigs.k8s.io/job-index": "0",
        "batch.kubernetes.io/job-completion-index": "0",
    }
    pod = {
        "metadata": {"name": "tj-node-0-0", "labels": labels},
        "spec": {"containers": [{"name": "node", "image": "i"}]},
    }
    await world.client.create(PODS, pod, namespace=NAMESPACE)
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    await world.client.patch(PODS, "tj-node-0-0", {"status": status}, namespace=NAMESPACE, subresource="status")
    yield it
    task.cancel()
    for connection in it.open:
        connection.close()


async def shown(world: World) -> Any:
    return json.loads(annotations_of(await world.job()).get(words.PROGRESSION) or "null")


async def test_the_first_node_is_asked_at_its_turns(world: World, node: Node) -> None:
    await world.settle(11)
    assert await shown(world) is None
    node.page = b'{"progressPercentage": 25, "estimatedRemainingSeconds": 30}'
    await world.settle(10)
    assert (await shown(world))["estimatedRemainingTimeSummary"] == "less than a minute"
    asked = node.asked
    await world.settle(100)
    assert node.asked - asked == 10, "not once more for its own annotation"


async def test_the_last_words_of_the_container_count(world: World, node: Node) -> None:
    node.page = b'{"progressPercentage": 90}'
    await world.settle(11)
    ended = {"exitCode": 0, "message": '{"progressPercentage": 100, "totalSteps": 7}'}
    status = {"containerStatuses": [{"name": "node", "state": {"terminated": ended}}]}
    await world.client.patch(PODS, "tj-node-0-0", {"status": status}, namespace=NAMESPACE, subresource="status")
    done = {"type": "Completed", "status": "True", "reason": "AllJobsCompleted", "message": "m"}
    await world.set_job_set_status({"conditions": [{**done, "lastTransitionTime": "2026-01-01T00:00:00Z"}]})
    found = await shown(world)
    assert (found["estimatedRemainingTimeSummary"], found["totalSteps"]) == ("complete", 7)
    asked = node.asked
    await world.settle(60)
    assert node.asked == asked
