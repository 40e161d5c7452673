"""Runtimes without the finalizer of old Trainers: from 2.3 on one may be deleted while TrainJobs refer to it.

Trainer to 2.2 held a runtime with ``resource-in-use``; the snapshot made that needless, so a runtime that comes with
the finalizer, from a backup say, is freed of it.
"""

from __future__ import annotations

from typing import ClassVar

from sidings.api.objects import Key
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, TRAINING_RUNTIMES
from sidings.api.status import NotFound
from sidings.controllers.runtime.controller import Controller

FINALIZER = "trainer.kubeflow.org/resource-in-use"


class TrainingRuntimeController(Controller):
    """Frees namespaced runtimes."""

    name: ClassVar[str] = "trainingruntime"
    resource = TRAINING_RUNTIMES
    workers = 1

    async def reconcile(self, key: Key) -> float | None:
        try:
            runtime = await self.client.get(self.resource, key.name, key.namespace)
        except NotFound:
            return None
        finalizers = runtime["metadata"].get("finalizers") or []
        if FINALIZER in finalizers:
            kept = [finalizer for finalizer in finalizers if finalizer != FINALIZER]
            body = {"metadata": {"finalizers": kept, "resourceVersion": runtime["metadata"]["resourceVersion"]}}
            await self.client.patch(self.resource, key.name, body, namespace=key.namespace)
        return None


class ClusterTrainingRuntimeController(TrainingRuntimeController):
    """Frees cluster-wide runtimes."""

    name = "clustertrainingruntime"
    resource = CLUSTER_TRAINING_RUNTIMES
