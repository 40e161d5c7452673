"""A whole control plane in one process, without nodes, for one trace: registry, client, and the controllers.

The same controllers as in the recorded cluster run: no scheduler, no kubelet, no node life cycle. On an event loop with
virtual time (``looptime``) a trace with minutes of back-off takes well under a second.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from sidings.api import timestamps
from sidings.api.catalog import builtin
from sidings.api.feature_gates import NONE, FeatureGates
from sidings.api.objects import Key, Object, is_deleting
from sidings.api.platform.components import MANAGED, REMOVED, SINGLETON, UNMANAGED
from sidings.api.pods import LogOptions
from sidings.api.resources import DATA_SCIENCE_CLUSTERS, KUEUE_OPERATORS, NAMESPACES, NODES
from sidings.api.status import AlreadyExists, NotFound, UnexplainedError
from sidings.client.interface import Client
from sidings.client.local import LocalClient
from sidings.clock import Clock, LoopClock
from sidings.controllers.claims.protection import ClaimProtection
from sidings.controllers.garbage_collector.controller import GarbageCollector
from sidings.controllers.job.controller import JobController
from sidings.controllers.job.ttl import TtlController
from sidings.controllers.jobset.controller import JobSetController
from sidings.controllers.kueue.manager import Kueue
from sidings.controllers.namespaces import Namespaces
from sidings.controllers.trainjob.controller import TrainJobController
from sidings.controllers.trainjob.runtime_finalizer import ClusterTrainingRuntimeController, TrainingRuntimeController
from sidings.registry.admission import defaults
from sidings.registry.registry import Registry
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from sidings.store.store import Store
from tests.conformance.senders import HOST

NODE_NAMES = ("node-1", "node-2")
HOSTNAME = "kubernetes.io/hostname"
SEED = 20261130


TOKEN = "replayer"
NAMESPACE_DELAY = 5.0


class LateNamespaces(Namespaces):
    """Empties a namespace some seconds after its deletion, as upstream does for the sake of several API servers."""

    async def reconcile(self, key: Key) -> float | None:
        try:
            namespace = await self.client.get(NAMESPACES, key.name)
        except NotFound:
            return None
        if is_deleting(namespace):
            since = self.clock.now() - timestamps.from_text(namespace["metadata"]["deletionTimestamp"])
            if since.total_seconds() < NAMESPACE_DELAY:
                return NAMESPACE_DELAY
        return await super().reconcile(key)


class Nowhere:
    """The logs of pods in a cluster without kubelets."""

    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        raise UnexplainedError("no preferred addresses found; known addresses: []")
        yield b""


class World(NamedTuple):
    """A running control plane: a client in process, its clock, and the server in front of it (``TOKEN`` is admin)."""

    client: Client
    clock: Clock
    app: App


@asynccontextmanager
async def world(seed: int = SEED, gates: FeatureGates = NONE) -> AsyncIterator[World]:
    """A running control plane with ``gates`` on; everything random in it follows from ``seed``."""
    clock, rng = LoopClock(), random.Random(seed)
    admission = defaults.plugins(clock, service_accounts=False, gates=gates)
    registry = Registry(Store.in_memory(), builtin(), clock, rng, admission=admission)
    client = LocalClient(registry)
    resources = [kind.resource for kind in builtin() if kind.conversion is None]
    kueue = Kueue(client, clock, rng)
    controllers = [
        JobController(client, clock, rng),
        TtlController(client, clock, rng),
        JobSetController(client, clock, rng, gates),
        TrainJobController(client, clock, rng),
        TrainingRuntimeController(client, clock, rng),
        ClusterTrainingRuntimeController(client, clock, rng),
        ClaimProtection(client, clock, rng),
        LateNamespaces(client, clock, rng, lambda: [resource for resource in resources if resource.namespaced]),
        GarbageCollector(client, clock, rng, resources),
        *kueue.controllers(),
        *kueue.loops(),
    ]
    await make_nodes(client)
    tasks = [asyncio.create_task(controller.run()) for controller in controllers]
    try:
        yield World(client, clock, App(registry, Nowhere(), StaticTokens({TOKEN: ADMIN}), clock, rng, hosts=[HOST]))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def node(name: str) -> Object:
    """A node that is an object and nothing more."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {HOSTNAME: name}}}


async def make_nodes(client: Client) -> None:
    """What the recorded cluster had: two nodes that are objects and nothing more."""
    for name in NODE_NAMES:
        try:
            await client.create(NODES, node(name))
        except AlreadyExists:
            continue


async def without_training_operator(client: Client) -> None:
    """The recorded cluster had PyTorchJobs and the queue, but nobody who ran them."""
    states = {"trainer": MANAGED, "trainingoperator": REMOVED, "kueue": REMOVED}
    components = {name: {"managementState": state} for name, state in states.items()}
    cluster = {"metadata": {"name": "default-dsc"}, "spec": {"components": components}}
    # An operator of its own keeps the queue; Unmanaged, it writes no configuration.
    operator = {"metadata": {"name": SINGLETON}, "spec": {"managementState": UNMANAGED}}
    for resource, obj in ((KUEUE_OPERATORS, operator), (DATA_SCIENCE_CLUSTERS, cluster)):
        try:
            await client.create(resource, obj)
        except AlreadyExists:
            continue
