"""What a TrainJob says it is doing, on a control plane in memory; the test is the node."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from sidings.api.kinds.trainjob import KIND
from sidings.api.objects import Object, annotations_of
from sidings.api.pods import LogOptions
from sidings.api.resources import NODES, PODS, TRAIN_JOBS
from sidings.api.trainer import words
from sidings.host.control_plane import ControlPlane
from tests import control_planes

pytestmark = pytest.mark.looptime


class Logs:
    """``api.pods.PodLogs``: the same lines of every container."""

    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        yield b"loading\nRuntimeError: no data\n"


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    async for made in control_planes.running():
        made.client.read_logs_from(Logs())
        taints = {"metadata": {"name": "node-1"}, "spec": {}}
        await made.client.create(NODES, taints)
        status = {"capacity": {"cpu": "8", "pods": "9"}, "allocatable": {"cpu": "8", "memory": "8Gi", "pods": "9"}}
        ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}
        await made.client.patch(NODES, "node-1", {"status": {**status, "conditions": [ready]}}, subresource="status")
        job = {"spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": 2}}}
        await made.client.create(TRAIN_JOBS, {"metadata": {"name": "tj"}, **job}, namespace="default")
        await made.clock.sleep(2)
        yield made


async def set_status(plane: ControlPlane, index: int, **container: Object) -> None:
    """Of the container in the newest pod of a rank; the pod runs."""
    pods = (await plane.client.list(PODS, "default")).items
    name = next(pod["metadata"]["name"] for pod in pods if pod["metadata"]["name"].startswith(f"tj-node-0-{index}-"))
    state = {"name": "node", "restartCount": 0, **container}
    status = {"phase": "Running", "startTime": "2026-01-01T00:00:00Z", "containerStatuses": [state]}
    await plane.client.patch(PODS, name, {"status": status}, namespace="default", subresource="status")
    await plane.clock.sleep(1)


async def shown(plane: ControlPlane) -> str:
    """The State column."""
    job = await plane.client.get(TRAIN_JOBS, "tj", "default")
    column = next(column for column in KIND.columns if column.name == "State")
    assert column.cell is not None
    return str(column.cell(job, datetime(2026, 1, 1, tzinfo=UTC)))


RUNNING = {"state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}


async def test_from_starting_to_running_to_restarting(plane: ControlPlane) -> None:
    assert await shown(plane) in ("Queued", "Starting")
    await set_status(plane, 0, **RUNNING)
    assert await shown(plane) == "Starting"
    await set_status(plane, 1, **RUNNING)
    assert await shown(plane) == "Running"
    ended = {"terminated": {"exitCode": 3, "reason": "Error", "finishedAt": "2026-01-01T00:00:05Z"}}
    waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
    await set_status(plane, 1, state=waiting, lastState=ended, restartCount=1)
    assert await shown(plane) == "Restarting(1/6)"
    job = await plane.client.get(TRAIN_JOBS, "tj", "default")
    assert annotations_of(job)[words.FIRST_FAILURE] == (
        "node-0-1 exited with 3 (Error)\nloading\nRuntimeError: no data"
    )


async def test_conditions_win(plane: ControlPlane) -> None:
    await plane.client.patch(TRAIN_JOBS, "tj", {"spec": {"suspend": True}}, namespace="default")
    await plane.clock.sleep(2)
    assert await shown(plane) == "Suspended"
    await plane.client.patch(TRAIN_JOBS, "tj", {"spec": {"suspend": False}}, namespace="default")
    await plane.clock.sleep(2)
    assert await shown(plane) in ("Queued", "Starting"), "upstream goes on saying Suspended"
