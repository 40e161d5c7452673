"""Store, registry, client and controllers as one unit, without sockets or processes.

The engine runs one on a SQLite store and the machine's clock; a test runs one in memory on virtual time. Nothing in it
knows the difference.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from sidings.api import catalog, exposition
from sidings.api.feature_gates import NONE, FeatureGates, Gate
from sidings.api.platform.components import Component
from sidings.api.pods import PodPorts
from sidings.api.resources import EVENTS, JOB_SETS, TRAIN_JOBS, WORKLOADS, Resource
from sidings.api.training_operator import framework
from sidings.client.local import LocalClient
from sidings.clock import Clock
from sidings.controllers.claims.binder import Binder
from sidings.controllers.claims.protection import ClaimProtection
from sidings.controllers.cronjob.controller import CronJobController
from sidings.controllers.custom_resources import CustomResources
from sidings.controllers.disruption import Disruption
from sidings.controllers.endpoint_slices import EndpointSlices
from sidings.controllers.endpoints import EndpointsController
from sidings.controllers.garbage_collector.controller import GarbageCollector
from sidings.controllers.jaxjob.controller import JAXJobController
from sidings.controllers.job.controller import JobController
from sidings.controllers.job.ttl import TtlController
from sidings.controllers.jobset.controller import JobSetController
from sidings.controllers.jobset.exclusive_pods import ExclusivePods
from sidings.controllers.kubernetes_service import KubernetesService
from sidings.controllers.kueue.manager import Kueue
from sidings.controllers.mpijob.controller import MPIJobController
from sidings.controllers.namespaces import Namespaces
from sidings.controllers.nodes.eviction import TaintEviction
from sidings.controllers.nodes.life_cycle import NodeLifeCycle
from sidings.controllers.nodes.pod_collector import PodCollector
from sidings.controllers.object_storage import Credentials, ObjectStorage
from sidings.controllers.paddlejob.controller import PaddleJobController
from sidings.controllers.platform.controller import (
    DataScienceClusterController,
    JobSetOperatorController,
    KueueOperatorController,
)
from sidings.controllers.platform.kueue import DefaultQueues, KueueConfiguration
from sidings.controllers.platform.switchboard import Parts, Runnable, Switchboard
from sidings.controllers.platform.unattended import Unattended
from sidings.controllers.pytorchjob.controller import PyTorchJobController
from sidings.controllers.resource_quotas import ResourceQuotas
from sidings.controllers.runtime.controller import Controller
from sidings.controllers.runtime.metrics import ControllerMetrics
from sidings.controllers.runtime.supervision import keep_running
from sidings.controllers.scheduler.controller import Scheduler
from sidings.controllers.service_accounts import ServiceAccounts
from sidings.controllers.software import Installed, everything
from sidings.controllers.tfjob.controller import TFJobController
from sidings.controllers.trainjob.controller import TrainJobController
from sidings.controllers.trainjob.plugins.progress import StatusServer
from sidings.controllers.trainjob.progression_tracker import ProgressionTracker
from sidings.controllers.trainjob.refusals import RefusalForwarder
from sidings.controllers.trainjob.runtime_finalizer import ClusterTrainingRuntimeController, TrainingRuntimeController
from sidings.controllers.xgboostjob.controller import XGBoostJobController
from sidings.host.findings import JobFindings
from sidings.host.job_states import JobStates
from sidings.host.pace import Pace
from sidings.node.network import API_PORT, API_SERVICE, GATEWAY, S3_PORT
from sidings.registry.admission import defaults
from sidings.registry.registry import Registry
from sidings.store.store import Store

API_FOR_PODS = "https://kubernetes.default.svc"
"""The Service that every namespace's pods find the API by."""

SWITCHED: Mapping[Component, tuple[type[Controller], ...]] = {
    Component.TRAINER: (
        TrainJobController,
        RefusalForwarder,
        TrainingRuntimeController,
        ClusterTrainingRuntimeController,
        ProgressionTracker,
    ),
    Component.TRAINING_OPERATOR: (
        PyTorchJobController,
        XGBoostJobController,
        JAXJobController,
        TFJobController,
        PaddleJobController,
        MPIJobController,
    ),
    Component.JOB_SET: (JobSetController, ExclusivePods),
}
"""The controllers of each component but Kueue, which says itself what it is made of."""
WORKED_ON: Mapping[Component, tuple[Resource, ...]] = {
    Component.TRAINER: (TRAIN_JOBS,),
    Component.TRAINING_OPERATOR: tuple(of.resource for of in framework.ALL),
    Component.JOB_SET: (JOB_SETS,),
    Component.KUEUE: (WORKLOADS,),
}
"""What waits while a component is off."""


class ControlPlane:
    """What makes objects come true. ``claims`` is the folder under which claimed storage lives."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        rng: random.Random,
        *,
        claims: Path,
        ca: str,
        with_nodes: bool = True,
        gates: FeatureGates = NONE,
        installed: Installed = everything,
        tells_findings: bool = False,
        object_storage: Credentials | None = None,
    ) -> None:
        """``with_nodes`` False leaves out what presumes nodes of ours (scheduler, node life cycle, pod collection).

        ``tells_findings``: what `sidings why` finds is written as events on the jobs.
        ``installed``: whether pods of an image find a program.
        ``object_storage``: the keys of the S3 server that pods are to find; None: there is none.
        """
        self.store = store
        self.clock = clock
        self.rng = rng
        self.catalog = catalog.builtin()
        self.registry = Registry(store, self.catalog, clock, rng, admission=defaults.plugins(clock, gates=gates))
        self.client = LocalClient(self.registry)
        self.kueue = Kueue(self.client, clock, rng)
        self._claims = claims
        self._ca = ca
        self._with_nodes = with_nodes
        self._gates = gates
        self._installed = installed
        self._tells_findings = tells_findings
        self._object_storage = object_storage
        self.ports: PodPorts | None = None
        """How to reach what pods listen on; set before ``run`` where there are pods."""
        self._metrics = ControllerMetrics()
        self.pace: Pace | None = None
        """What gives controllers their turns; None: they never wait. Set it before ``run``."""
        self._running: list[Controller | GarbageCollector] = []

    def controllers(self) -> list[Controller | GarbageCollector]:
        client, clock, rng = self.client, self.clock, self.rng
        resources = [kind.resource for kind in self.catalog if kind.conversion is None]
        found: list[Controller | GarbageCollector] = [
            TrainJobController(client, clock, rng, self._installed, self._status_server()),
            RefusalForwarder(client, clock, rng),
            TrainingRuntimeController(client, clock, rng),
            ClusterTrainingRuntimeController(client, clock, rng),
            PyTorchJobController(client, clock, rng),
            XGBoostJobController(client, clock, rng),
            JAXJobController(client, clock, rng),
            TFJobController(client, clock, rng),
            PaddleJobController(client, clock, rng),
            MPIJobController(client, clock, rng, self._installed),
            JobSetController(client, clock, rng, self._gates),
            ExclusivePods(client, clock, rng),
            JobController(client, clock, rng),
            CronJobController(client, clock, rng),
            TtlController(client, clock, rng),
            GarbageCollector(client, clock, rng, [r for r in resources if r != EVENTS]),
            Namespaces(client, clock, rng, self._namespaced),
            CustomResources(client, clock, rng),
            ResourceQuotas(client, clock, rng),
            Disruption(client, clock, rng),
            ServiceAccounts(client, clock, rng, self._ca),
            EndpointsController(client, clock, rng),
            EndpointSlices(client, clock, rng),
            Binder(client, clock, rng, self._claims),
            ClaimProtection(client, clock, rng),
            *self.kueue.controllers(),
            JobStates(client, clock, rng),
            DataScienceClusterController(client, clock, rng),
            JobSetOperatorController(client, clock, rng),
            KueueOperatorController(client, clock, rng),
            KueueConfiguration(client, clock, rng),
            DefaultQueues(client, clock, rng),
        ]
        if self._tells_findings:
            found.append(JobFindings(client, clock, rng))
        if self._object_storage is not None:
            found.append(
                ObjectStorage(client, clock, rng, credentials=self._object_storage, address=GATEWAY, port=S3_PORT)
            )
        if self.ports is not None:
            found.append(ProgressionTracker(client, clock, rng, self.ports))
        if self._with_nodes:
            found += [
                Scheduler(client, clock, rng),
                KubernetesService(client, clock, rng, cluster_ip=API_SERVICE, address=GATEWAY, port=API_PORT),
                NodeLifeCycle(client, clock, rng),
                TaintEviction(client, clock, rng),
                PodCollector(client, clock, rng),
            ]
        return found

    def _status_server(self) -> StatusServer | None:
        """Where pods report progress: this API, as pods reach it."""
        return StatusServer(API_FOR_PODS, self._ca) if Gate.TRAIN_JOB_STATUS in self._gates else None

    def _namespaced(self) -> list[Resource]:
        """What a namespace may hold now."""
        kinds = [kind for kind in self.registry.catalog if kind.conversion is None]
        return [kind.resource for kind in kinds if kind.resource.namespaced]

    def metrics(self) -> list[str]:
        """What is stored and what controllers do, as lines for Prometheus."""
        stored = [({"resource": resource}, count) for resource, count in self.store.sizes().items()]
        return [
            *exposition.family("apiserver_storage_objects", "gauge", "Stored objects by resource.", stored),
            *self._metrics.lines({controller.name: len(controller.queue) for controller in self._running}),
            *self.kueue.scheduler.metrics.lines(),
        ]

    async def run(self) -> None:
        """Run all controllers until cancelled."""
        self._running = self.controllers()
        parts = self._parts(self._running)
        switched = {id(part) for of_one in parts.values() for part in of_one.on}
        async with asyncio.TaskGroup() as tasks:
            for controller in self._running:
                controller.queue.figures = self._metrics.of(controller.name)
                if self.pace is not None and isinstance(controller, Controller):
                    controller.turn = self.pace.turn
                if id(controller) not in switched:
                    running = keep_running(controller.name, controller.run, self.clock)
                    tasks.create_task(running, name=controller.name)
            tasks.create_task(Switchboard(self.client, self.clock, self.rng, parts).run(), name=Switchboard.name)

    def _parts(self, controllers: Sequence[Controller | GarbageCollector]) -> Mapping[Component, Parts]:
        """What the platform's objects can switch off."""
        parts: dict[Component, list[Runnable]] = {
            component: [controller for controller in controllers if isinstance(controller, types)]
            for component, types in SWITCHED.items()
        }
        kueue = {id(controller) for controller in self.kueue.controllers()}
        parts[Component.KUEUE] = [each for each in controllers if id(each) in kueue] + list(self.kueue.loops())
        return {component: Parts(of_one, self._stand_ins(component)) for component, of_one in parts.items()}

    def _stand_ins(self, component: Component) -> list[Runnable]:
        return [Unattended(self.client, self.clock, self.rng, component, resource) for resource in WORKED_ON[component]]
