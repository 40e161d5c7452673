"""Runtimes lose the finalizer of old Trainers (case C17)."""

from __future__ import annotations

import pytest

from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, TRAINING_RUNTIMES
from tests.controllers.trainjob.conftest import World
from tests.trainjobs import NAMESPACE, runtime

pytestmark = pytest.mark.looptime

FINALIZERS = ["trainer.kubeflow.org/resource-in-use", "example.com/mine"]


async def test_namespaced_runtime(world: World) -> None:
    obj = runtime(name="held")
    obj["metadata"]["finalizers"] = FINALIZERS
    await world.client.create(TRAINING_RUNTIMES, obj, namespace=NAMESPACE)
    await world.settle()
    found = await world.client.get(TRAINING_RUNTIMES, "held", NAMESPACE)
    assert found["metadata"]["finalizers"] == FINALIZERS[1:]


async def test_cluster_wide_runtime(world: World) -> None:
    obj = runtime(name="held") | {"kind": "ClusterTrainingRuntime"}
    obj["metadata"] = {"name": "held", "finalizers": FINALIZERS}
    await world.client.create(CLUSTER_TRAINING_RUNTIMES, obj)
    await world.settle()
    found = await world.client.get(CLUSTER_TRAINING_RUNTIMES, "held")
    assert found["metadata"]["finalizers"] == FINALIZERS[1:]
