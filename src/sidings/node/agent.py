"""The agent of this machine's logical nodes: it announces them and runs the pods that are bound to them.

It holds no state that a restart would miss: pods live in processes of their own below ``state_dir`` and are taken up
again by uid. One watch of all pods feeds workers (one per pod of ours) and the name table.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import random
from collections.abc import Collection, Coroutine, Sequence
from pathlib import Path
from typing import Any

from sidings.api.objects import Object, uid_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import CLAIMS, PODS
from sidings.api.status import ApiError
from sidings.client.events import EventNote, Recorder
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.node import (
    machine,
    masks,
    pod_sandbox,
    service_links,
    shutdown,
)
from sidings.node.container_engine import discovery, leftovers, pause_image
from sidings.node.container_engine.engine import DOCKER
from sidings.node.container_engine.image_store import ImageStore
from sidings.node.departure import depart
from sidings.node.errors import AddressesExhausted, NodeError, SandboxUnavailable
from sidings.node.following import follow
from sidings.node.gpus.in_memory import InMemoryGpus
from sidings.node.gpus.manager import GpuManager
from sidings.node.gpus.source import GpuSource
from sidings.node.limits.limiter import Limiter
from sidings.node.logical_node import SANDBOX, LogicalNode, NodeConfig
from sidings.node.network import API_SERVICE, API_SERVICE_PORT, MAX_NODES, AddressPool, node_address
from sidings.node.node_ports import NodePorts
from sidings.node.pod_doors import Attempts, PodDoors
from sidings.node.pod_security import in_node_network
from sidings.node.pod_worker import PodWorker
from sidings.node.registration import Registration
from sidings.node.sandbox import client as sandbox_client
from sidings.node.sandbox.client import SandboxClient
from sidings.node.sandbox.outside import API_FILE
from sidings.node.services import Services
from sidings.node.telemetry.monitor import Monitor, Target
from sidings.node.telemetry.workload import workload_of
from sidings.node.volumes import claim
from sidings.node.workshop import Workshop

log = logging.getLogger(__name__)

GPU_CHECK_SECONDS = 1.0


class NodeAgent:
    """Runs the pods bound to ``nodes``; ``doors`` are the ways into them."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        rng: random.Random,
        state_dir: Path,
        nodes: Sequence[LogicalNode],
        config: NodeConfig | None = None,
        gpus: GpuSource | None = None,
    ) -> None:
        """``state_dir`` is the agent's own folder; claims lie in ``state_dir/"claims"``.

        ``gpus`` is the driver of the nodes' units; None where they have none.
        """
        if len(nodes) > MAX_NODES:
            raise NodeError(f"{len(nodes)} nodes on one machine", cause=f"there are {MAX_NODES} address ranges")
        self._client = client
        self._clock = clock
        self._config = config or NodeConfig()
        self._claims = state_dir / "claims"
        self._sandbox = SandboxClient(state_dir, wanted=self._config.tier)
        self._addresses = AddressPool()
        self._recorder = Recorder(client, clock, "kubelet")
        self._api_server: tuple[str, int] | None = None
        self._pods: dict[str, Object] = {}
        self._workers: dict[str, PodWorker] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.doors = PodDoors(self._sandbox, state_dir / "pods", clock, self._addresses, self._attended)
        self._services = Services(
            state_dir,
            self._pods,
            self._addresses,
            {node.name: node_address(number) for number, node in enumerate(nodes, 1)},
            NodePorts(self.doors.dial, self._note, self._spawn),
        )
        self._gpus = GpuManager(gpus or InMemoryGpus(), {node.name: node.units for node in nodes}, state_dir / "pods")
        history = state_dir / "telemetry.json"
        self.telemetry = Monitor(client, clock, self._gpus, self._running_pods, self._pods_with_object, history)
        home = Path.home()
        self._engine = (
            None if self._config.runtime == SANDBOX else discovery.required(self._config.runtime, os.environ, state_dir)
        )
        self._shop = Workshop(
            client=client,
            clock=clock,
            sandbox=self._sandbox,
            config=self._config,
            nodes={node.name: (number, node) for number, node in enumerate(nodes, 1)},
            addresses=self._addresses,
            gpus=self._gpus,
            libraries=state_dir / "libraries",
            limiter=Limiter(state_dir),
            pods_root=state_dir / "pods",
            claims_root=self._claims,
            secrets=masks.secret_paths(home, os.environ, (state_dir, *self._config.masked)),
            homes=masks.homes(home),
            note=self._note,
            service_variables=self._service_variables,
            released=self._released,
            images=ImageStore(self._engine, clock) if self._engine is not None else None,
        )

    def lead_to_api_server(self, host: str, port: int) -> None:
        """Have pods that use the in-cluster configuration reach the API server, which listens there on this machine."""
        self._api_server = (host, port)

    async def run(self) -> None:
        """Register the nodes, re-adopt their pods and run what is bound to them, until cancelled.

        Raises ``SandboxUnavailable`` where the machine refuses the namespaces that a pod needs, and
        ``EngineUnavailable`` where the container engine that was asked for does not work.
        """
        for folder in (self._shop.pods_root, self._claims, self._sandbox.directory / "shm"):
            folder.mkdir(parents=True, exist_ok=True)
        if self._api_server is not None:
            (self._sandbox.directory / API_FILE).write_text(json.dumps(self._api_server))
        self._gpus.adopt()
        await self._sandbox.ensure_zygote()
        nodes = [node for _, node in self._shop.nodes.values()]
        report = machine.report(
            self._sandbox.tier.reason,
            self._sandbox.tier.message,
            [node.cpu for node in nodes],
            [node.memory for node in nodes],
            self._shop.limiter.probe(),
            self._sandbox.directory,
            await self._ready_engine(),
        )
        registration = Registration(
            self._client, self._clock, self._shop.nodes, report, self._config, self._gpus.withdrawn
        )
        await registration.announce()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._services.run(self._client, self._clock))
                tasks.create_task(follow(self._client, self._clock, CLAIMS, self._all_claims, self._claim))
                tasks.create_task(follow(self._client, self._clock, PODS, self._all_pods, self._pod))
                tasks.create_task(self._heartbeats(registration))
                tasks.create_task(self._watch_gpus(registration))
                tasks.create_task(self.telemetry.run())
        finally:
            await self._let_go()

    async def _ready_engine(self) -> str:
        """The container engine as Node objects name it, without what an earlier agent's pods left in it."""
        if self._engine is None:
            return ""
        discovery.refuse_tier(self._engine, self._sandbox.tier)
        version = await discovery.version(self._engine)
        living = {
            path.parent.name
            for path in self._shop.pods_root.glob("*/status.json")
            if (status := sandbox_client.read_status(path.parent)) is not None and sandbox_client.is_alive(status)
        }
        await leftovers.remove(self._engine, lambda uid: uid not in living)
        if self._engine.name == DOCKER:
            await pause_image.ensure(self._engine)
        return f"{self._engine.name}://{version}"

    async def stop_all(self, grace_seconds: float = 0) -> None:
        """Stop every sandbox: afterwards no process, mount or interface of this agent is left.

        Pods get their preStop hooks and their own grace period, but no more than ``grace_seconds``; 0: they are killed.
        Pod objects are not changed; the ends are in the records, and the next ``run`` reports them.
        """
        await self._let_go()
        if grace_seconds > 0:
            mine = [pod for pod in self._pods.values() if pod["spec"].get("nodeName") in self._shop.nodes]
            await asyncio.gather(*(depart(pod, self._shop, grace_seconds) for pod in mine))
        await shutdown.stop_sandboxes(self._sandbox, self._clock, grace_seconds)
        if self._engine is not None:
            await leftovers.remove(self._engine)

    def _attended(self, uid: str) -> Attempts:
        worker = self._workers.get(uid)
        return worker.box.attempts if worker is not None else {}

    def _all_pods(self, pods: Sequence[Object]) -> None:
        self._pods.clear()
        self._pods.update((uid_of(pod), pod) for pod in pods)
        for uid, worker in list(self._workers.items()):
            if uid not in self._pods:
                worker.gone()
        for pod in pods:
            self._adopt_address(pod)
        self._services.refresh()
        for pod in pods:
            self._look_after(pod)
        self._sweep()

    def _pod(self, type_: str, pod: Object) -> None:
        uid = uid_of(pod)
        if type_ == "DELETED":
            self._pods.pop(uid, None)
            if worker := self._workers.get(uid):
                worker.update(pod)
                worker.gone()
            elif (directory := self._shop.pods_root / uid).exists():
                # Of a node that an earlier agent had: nobody looked after it.
                self._spawn(pod_sandbox.abandon(directory, self._sandbox))
            self._services.refresh()
            return
        self._pods[uid] = pod
        self._adopt_address(pod)
        self._services.refresh()
        self._look_after(pod)

    def _adopt_address(self, pod: Object) -> None:
        """A bound pod has its address before it starts, so that its peers can look it up."""
        node = self._shop.nodes.get(pod["spec"].get("nodeName") or "")
        if node is None or has_ended(pod):
            return
        if self._addresses.address_of(uid_of(pod)) is None:
            status = sandbox_client.read_status(self._shop.pods_root / uid_of(pod))
            if status is not None and sandbox_client.is_alive(status):
                self._addresses.claim(uid_of(pod), status.address)
            else:
                # With no address left the pod's own worker says so, and tries again.
                with contextlib.suppress(AddressesExhausted):
                    self._addresses.allocate(
                        uid_of(pod), node[0], host_network=in_node_network(pod, self._sandbox.tier)
                    )

    def _look_after(self, pod: Object) -> None:
        uid = uid_of(pod)
        if uid in self._workers:
            self._workers[uid].update(pod)
        elif pod["spec"].get("nodeName") in self._shop.nodes:
            worker = PodWorker(pod, self._shop)
            self._workers[uid] = worker
            task = asyncio.create_task(worker.run(), name=f"pod {uid}")
            self._tasks.add(task)
            task.add_done_callback(lambda done: self._worker_ended(uid, done))

    def _worker_ended(self, uid: str, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._workers.pop(uid, None)

    def _sweep(self) -> None:
        """End what an earlier agent left of pods that were deleted meanwhile."""
        for directory in self._shop.pods_root.iterdir():
            if directory.name not in self._pods:
                self._spawn(pod_sandbox.abandon(directory, self._sandbox))

    def _released(self, group: str) -> None:
        """A pod is over: its names go, and its job's shared memory with the last pod of the job."""
        self._services.refresh()
        used = {worker.box.group for uid, worker in self._workers.items() if self._addresses.address_of(uid)}
        if group not in used:
            self._spawn(self._sandbox.unmount([self._sandbox.directory / "shm" / group]))

    def _service_variables(self, pod: Object) -> dict[str, str]:
        own_network = self._sandbox.tier.namespaces
        server = (API_SERVICE, API_SERVICE_PORT) if own_network and self._api_server else self._api_server
        kubernetes = service_links.api_server(*server) if server else None
        return service_links.variables(pod, self._services.all() if own_network else (), kubernetes)

    def _all_claims(self, claims: Sequence[Object]) -> None:
        claim.sweep(self._claims, {uid_of(found) for found in claims})

    def _claim(self, type_: str, found: Object) -> None:
        if type_ == "DELETED":
            claim.remove(self._claims, uid_of(found))

    def _note(self, pod: Object, type_: str, reason: str, message: str) -> None:
        self._spawn(self._recorder.record(EventNote(pod, type_, reason, message)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._side_work_ended)

    def _side_work_ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("side work failed: %s", error)

    async def _heartbeats(self, registration: Registration) -> None:
        while True:
            await self._clock.sleep(self._config.heartbeat_seconds)
            try:
                # One that was killed is missed by running pods too: it looks after their names and their way outside.
                await self._sandbox.ensure_zygote()
            except SandboxUnavailable as error:
                log.warning("the zygote cannot be replaced, the next heartbeat tries again: %s", error)
            await self._announce(registration)

    def _running_pods(self) -> list[Target]:
        return [
            Target(workload_of(self._pods[uid]), shim)
            for uid, worker in self._workers.items()
            if uid in self._pods and (shim := worker.box.shim) is not None
        ]

    def _pods_with_object(self) -> Collection[str]:
        return self._pods.keys()

    async def _watch_gpus(self, registration: Registration) -> None:
        """Withdraw GPUs that the driver reports as faulty, at once: the next pod must not get them."""
        while self._gpus.source.devices():
            for unit in await asyncio.to_thread(self._gpus.check):
                log.warning("GPU %s (%s) is withdrawn", unit.device.index, unit.uuid)
                await self._announce(registration)
            await self._clock.sleep(GPU_CHECK_SECONDS)

    async def _announce(self, registration: Registration) -> None:
        try:
            await registration.announce()
        except ApiError as error:
            log.warning("node status was not written, the next heartbeat writes it: %s", error)

    async def _let_go(self) -> None:
        """Cancel all tasks; the sandboxes go on."""
        self._services.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._workers.clear()
