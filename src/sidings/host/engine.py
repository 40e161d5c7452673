"""One engine: a control plane on disk, the API server in front of it, the node agent behind it.

::

    async with Engine.open(home, options, clock, rng, gpus) as engine:
        await engine.run(ready, stop)

Start order: lock and load the state, bind the port, serve, make what a fresh control plane has, then controllers and
nodes. The kubeconfig is written last, so whoever finds it finds an engine that answers. Stop order: controllers, then
pods (which get SIGTERM and time to write a checkpoint), so that nobody sees them die and starts them anew; the next
engine finds them gone and lets their own policies decide. An engine that is killed leaves its pods running; the next
one adopts them again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import shutil
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import sidings
from sidings.api import feature_gates, timestamps
from sidings.api.conditions import find
from sidings.api.resources import NODES
from sidings.client import kubeconfig
from sidings.clock import Clock
from sidings.controllers.kueue.visibility import PendingList
from sidings.controllers.object_storage import withdraw
from sidings.host import bootstrap, hibernation, machine, memory, object_storage, process, scrape_token
from sidings.host.control_plane import ControlPlane
from sidings.host.errors import PortTaken
from sidings.host.home import EngineRecord, Home
from sidings.host.metrics import EngineTelemetry
from sidings.host.options import FORCED_GRACE_SECONDS, STOP_GRACE_SECONDS, EngineOptions
from sidings.host.pace import Pace, Requests
from sidings.node import software
from sidings.node.agent import NodeAgent
from sidings.node.gpus import sharing
from sidings.node.gpus.labels import labels
from sidings.node.gpus.source import GpuSource, Unit, units
from sidings.node.logical_node import SANDBOX, LogicalNode, NodeConfig
from sidings.node.network import API_SERVICE, GATEWAY
from sidings.node.sandbox.tier import Choice
from sidings.server import names, pki
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from sidings.server.serve import ApiServer, bind
from sidings.server.telemetry import SCRAPER
from sidings.store.store import Store

log = logging.getLogger(__name__)

ADDRESS = "127.0.0.1"
USUAL_PORT = 7443
IN_CLUSTER = (API_SERVICE, GATEWAY)
"""Addresses at which pods find the API server."""

Report = Callable[[str], None]
"""Told what the engine does now."""


class Engine:
    """An engine whose state is open; ``run`` makes it live."""

    def __init__(
        self, home: Home, options: EngineOptions, store: Store, clock: Clock, rng: random.Random, gpus: GpuSource
    ) -> None:
        """Raises ``DevicesExhausted`` where the options promise more GPUs than there are."""
        self.home = home
        self.options = options
        self.clock = clock
        self._grace_seconds = STOP_GRACE_SECONDS
        self._started = timestamps.to_text(clock.now())
        self.identity = pki.ensure(home.pki, clock.now(), IN_CLUSTER)
        self.plane = ControlPlane(
            store,
            clock,
            rng,
            claims=home.nodes / "claims",
            ca=self.identity.authority.decode(),
            with_nodes=options.nodes > 0,
            gates=feature_gates.parse(options.feature_gates),
            installed=self._installed,
            tells_findings=True,
            object_storage=object_storage.credentials(home) if options.s3 else None,
        )
        self.nodes = logical_nodes(options, gpus)
        self.agent = NodeAgent(self.plane.client, clock, rng, home.nodes, self.nodes, node_config(home, options), gpus)
        self.plane.client.read_logs_from(self.agent.doors)
        self.plane.ports = self.agent.doors

    @classmethod
    @asynccontextmanager
    async def open(
        cls, home: Home, options: EngineOptions, clock: Clock, rng: random.Random, gpus: GpuSource
    ) -> AsyncIterator[Engine]:
        """Lock and load the state of ``home``. Raises ``StoreError`` where that is not possible."""
        store = Store.open(home.store)
        try:
            yield cls(home, options, store, clock, rng, gpus)
        finally:
            await store.close()

    async def run(self, report: Report, ready: Callable[[EngineRecord], None], stop: asyncio.Event) -> None:
        """Serve until ``stop`` is set, then stop the pods; returns when all is gone."""
        server, requests = self._server()
        async with self._storage(), asyncio.TaskGroup() as tasks:
            serving = tasks.create_task(server.serve(), name="server")
            report("preparing namespaces and runtimes")
            await bootstrap.bootstrap(self.plane.client, self.options.profile)
            await bootstrap.retire_nodes(self.plane.client, {node.name for node in self.nodes})
            if not self.options.s3:
                await withdraw(self.plane.client)
            working = [tasks.create_task(self.plane.run(), name="controllers")]
            if self.nodes:
                working.append(tasks.create_task(self.agent.run(), name="nodes"))
                report(f"waiting for {len(self.nodes)} node(s)")
                await self._nodes_ready()
            if slept := await hibernation.wake(self.plane.client):
                report(f"resumed {len(slept)} job(s) that `down --suspend` had suspended")
            memory.settle()
            working.append(tasks.create_task(memory.sweep(requests, self.clock), name="garbage"))
            ready(self._announce(server.url))
            await stop.wait()
            log.info("stopping")
            await self._end(working)
            server.close()
            await serving
        self.home.forget_record()

    def _installed(self, program: str, image: str) -> bool:
        """Whether a pod of ``image`` finds ``program`` on its path; a container engine's images have what they need."""
        config = node_config(self.home, self.options)
        if config.runtime != SANDBOX:
            return True
        prefix = software.prefix_for(image, config.images, config.python_prefix)
        return shutil.which(program, path=software.search_path(prefix)) is not None

    def _storage(self) -> AbstractAsyncContextManager[None]:
        """The S3 server, which outlives the pods: they write their last checkpoints when the engine stops."""
        if not self.options.s3:
            return contextlib.nullcontext()
        return object_storage.serving(self.home, self.options.s3_folder, self.clock)

    def hurry(self) -> None:
        """Pods get ``FORCED_GRACE_SECONDS`` when the engine stops; call it before ``stop`` is set."""
        self._grace_seconds = FORCED_GRACE_SECONDS

    def _server(self) -> tuple[ApiServer, Requests]:
        """Bound, not yet serving, and what it knows of its requests. Raises ``PortTaken``, ``OptionInvalid``."""
        users = {self.identity.token: ADMIN}
        if self.options.scrape_token_file:
            users[scrape_token.ensure(Path(self.options.scrape_token_file))] = SCRAPER
        tokens, measured = StaticTokens(users), EngineTelemetry(self.plane, self.agent.telemetry, self.home.store)
        app = App(
            self.plane.registry,
            self.agent.doors,
            tokens,
            self.clock,
            self.plane.rng,
            hosts=(*names.LOOPBACK, *names.DNS, *IN_CLUSTER),
            measured=measured,
            signing_key=self.identity.signing_key,
            pending=PendingList(self.plane.kueue.scheduler.cache),
        )
        self.plane.client.get_tokens_from(app.tokens)
        self.plane.pace = Pace(app.metrics, self.clock)
        listener = listen(self.options.port, self.options.last_port)
        self.agent.lead_to_api_server(*listener.getsockname())
        return ApiServer(app, listener, self.identity.certificate_file, self.identity.key_file), app.metrics

    async def _end(self, working: list[asyncio.Task[None]]) -> None:
        """Controllers and agent first, so that nobody sees the pods end; then the pods."""
        for task in working:
            task.cancel()
        await asyncio.wait(working)
        if self.nodes:
            await self.agent.stop_all(self._grace_seconds)

    async def _nodes_ready(self) -> None:
        """Until every node of ours has posted that it is ready, after this engine was started."""
        waiting = {node.name for node in self.nodes}
        async for event in self.plane.client.watch(NODES):
            ready = find((event.object.get("status") or {}).get("conditions"), "Ready") or {}
            if ready.get("status") == "True" and ready["lastHeartbeatTime"] >= self._started:
                waiting.discard(event.object["metadata"]["name"])
            if not waiting:
                return

    def _announce(self, server: str) -> EngineRecord:
        """Write what clients need to find this engine."""
        file = Path(self.options.kubeconfig) if self.options.kubeconfig else self.home.kubeconfig
        kubeconfig.write(file, server=server, certificate_authority=self.identity.authority, token=self.identity.token)
        me = process.of_this_process()
        record = EngineRecord(
            pid=me.pid,
            start_ticks=me.start_ticks,
            boot_id=me.boot_id,
            server=server,
            kubeconfig=str(file),
            version=sidings.__version__,
            started=self._started,
        )
        self.home.write_record(record)
        return record


def logical_nodes(options: EngineOptions, gpus: GpuSource) -> list[LogicalNode]:
    """``node-1`` ... ``node-N``, each as large as the options say or as the machine is, with its share of the GPUs."""
    if options.simulate_gpus:
        shares: list[tuple[Unit, ...]] = [()] * options.nodes
    else:
        shares = sharing.share(units(gpus.devices()), options.nodes, options.gpus_per_node)
    return [
        LogicalNode(
            name=f"node-{number}",
            cpu=options.cpu or machine.cpu(),
            memory=options.memory or machine.memory(),
            gpus=options.gpus_per_node or 0 if options.simulate_gpus else len(share),
            simulate_gpus=options.simulate_gpus,
            labels=labels(share, gpus.driver()),
            units=share,
        )
        for number, share in enumerate(shares, 1)
    ]


def node_config(home: Home, options: EngineOptions) -> NodeConfig:
    """Pods see neither the engine's state nor the kubeconfig nor a token, wherever that was written."""
    masked = (home.path, *(Path(file) for file in (options.kubeconfig, options.scrape_token_file) if file))
    images = tuple((pattern, Path(prefix)) for pattern, prefix in options.images)
    return NodeConfig(options.runtime, images=images, masked=masked, tier=Choice(options.tier))


def listen(port: int, last_port: int = 0) -> socket.socket:
    """The API server's socket: ``port``, or for 0 the last one or the usual one where that is free, else any.

    Raises ``PortTaken`` for a ``port`` that is not free.
    """
    if not port:
        for candidate in (last_port or USUAL_PORT, USUAL_PORT):
            with contextlib.suppress(OSError):
                return bind(ADDRESS, candidate)
        return bind(ADDRESS, 0)
    try:
        return bind(ADDRESS, port)
    except OSError as error:
        raise PortTaken(
            f"cannot listen on port {port}",
            cause=error.strerror or str(error),
            remedy=f"ss -ltnp 'sport = :{port}'   (shows who does; or choose another: sidings up --port 0)",
        ) from error
