"""A whole control plane in one process, without nodes, for one trace: registry, client, and the controllers.

The same controllers as in the recorded cluster run: no scheduler, no kubelet, no node life cycle. On an event loop with
virtual time (``looptime``) a trace with minutes of back-off takes well under a second.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sidings.api.catalog import builtin
from sidings.api.resources import NODES
from sidings.client.interface import Client
from sidings.client.local import LocalClient
from sidings.clock import Clock, LoopClock
from sidings.controllers.claims.protection import ClaimProtection
from sidings.controllers.garbage_collector.controller import GarbageCollector
from sidings.controllers.job.controller import JobController
from sidings.controllers.job.ttl import TtlController
from sidings.controllers.jobset.controller import JobSetController
from sidings.controllers.namespaces import Namespaces
from sidings.controllers.trainjob.controller import TrainJobController
from sidings.registry.admission.jobset import JobSetAdmission
from sidings.registry.admission.jobset_pods import JobSetPods
from sidings.registry.admission.namespaces import NamespaceLifecycle
from sidings.registry.admission.pods import DefaultTolerations, PodPriority
from sidings.registry.admission.training_runtime import TrainingRuntimeAdmission
from sidings.registry.admission.trainjob import TrainJobAdmission
from sidings.registry.registry import Registry
from sidings.store.store import Store

NODE_NAMES = ("node-1", "node-2")
HOSTNAME = "kubernetes.io/hostname"
SEED = 20261130


@asynccontextmanager
async def world(seed: int = SEED) -> AsyncIterator[tuple[Client, Clock]]:
    """A running control plane; everything random in it follows from ``seed``."""
    clock, rng = LoopClock(), random.Random(seed)
    admission = [
        NamespaceLifecycle(),
        PodPriority(),
        DefaultTolerations(),
        JobSetPods(),
        JobSetAdmission(),
        TrainJobAdmission(clock),
        TrainingRuntimeAdmission(),
    ]
    registry = Registry(Store.in_memory(), builtin(), clock, rng, admission=admission)
    client = LocalClient(registry)
    resources = [kind.resource for kind in builtin()]
    controllers = [
        JobController(client, clock, rng),
        TtlController(client, clock, rng),
        JobSetController(client, clock, rng),
        TrainJobController(client, clock, rng),
        ClaimProtection(client, clock, rng),
        Namespaces(client, clock, rng, resources),
        GarbageCollector(client, clock, rng, resources),
    ]
    for name in NODE_NAMES:
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {HOSTNAME: name}}}
        await client.create(NODES, node)
    tasks = [asyncio.create_task(controller.run()) for controller in controllers]
    try:
        yield client, clock
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
