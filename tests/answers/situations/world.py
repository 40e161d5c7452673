"""A control plane in memory behind a real API server, with a kubelet that plays and the real kubectl in front.

Time is virtual while controllers work, and real while a command runs: looptime lets it pass as it does for whoever
waits for a thread.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sidings.answers.why import chain
from sidings.api.objects import Object, name_of, namespace_of
from sidings.api.resources import NAMESPACES, PODS, Resource
from sidings.cli import jobs, one_job
from sidings.client import kubeconfig
from sidings.client.interface import PatchType
from sidings.clock import LoopClock
from sidings.host import bootstrap, process
from sidings.host.control_plane import ControlPlane
from sidings.host.home import EngineRecord, Home
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from sidings.server.pki import Identity
from sidings.server.serve import ApiServer, bind
from sidings.store.store import Store
from tests.answers.situations import builders
from tests.answers.situations.builders import NAMESPACE
from tests.answers.situations.kubelet import Kubelet, Rule
from tests.server.conftest import NoPods

SOON = 8.0
"""Seconds of virtual time in which everything that is due has happened."""


class World:
    """What a situation is built in, asked in and mended in."""

    def __init__(self, plane: ControlPlane, kubelet: Kubelet, environ: Mapping[str, str]) -> None:
        self.plane = plane
        self.kubelet = kubelet
        self._environ = environ

    async def play(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """Objects in short or in full, or one of the steps below with its argument."""
        for step in steps:
            word = next(iter(step))
            if builders.is_short(step):
                await self.create(builders.made(word, step[word] or {}))
            elif "kind" in step:
                await self.create(dict(step))
            else:
                await getattr(self, f"do_{word}")(step[word])
        await self.settle()

    async def create(self, obj: Object) -> None:
        client = self.plane.client
        resource = self._resource(obj)
        namespace = (namespace_of(obj) or NAMESPACE) if resource.namespaced else ""
        await client.create(resource, obj, namespace=namespace)
        if obj["kind"] == "Node":
            await client.patch(resource, name_of(obj), {"status": obj["status"]}, subresource="status")

    def _resource(self, named: Mapping[str, Any]) -> Resource:
        found = self.plane.catalog.by_api_version(named["apiVersion"], named["kind"])
        assert found is not None, named
        return found.resource

    async def do_settle(self, seconds: float) -> None:
        await self.settle(seconds)

    async def do_patch(self, step: Mapping[str, Any]) -> None:
        """``{kind, apiVersion, name, body}``, ``subresource`` for another than the object."""
        client = self.plane.client
        resource = self._resource(step)
        namespace = NAMESPACE if resource.namespaced else ""
        name = step.get("name") or name_of((await client.list(resource, namespace)).items[0])
        await client.patch(
            resource,
            name,
            step["body"],
            namespace=namespace,
            patch_type=PatchType.MERGE,
            subresource=step.get("subresource", ""),
        )

    async def do_delete(self, step: Mapping[str, Any]) -> None:
        """``{kind, apiVersion, name}``; of ``pods`` of a Job the first."""
        client = self.plane.client
        resource = self._resource(step)
        namespace = NAMESPACE if resource.namespaced else ""
        name = step.get("name") or name_of((await client.list(resource, namespace)).items[0])
        await client.delete(resource, name, namespace)

    async def do_node_dies(self, dead: bool) -> None:
        self.kubelet.is_dead = dead

    async def do_finish(self, job: str) -> None:
        """All pods of a Job succeed."""
        client = self.plane.client
        selector = f"batch.kubernetes.io/job-name={job}"
        for pod in (await client.list(PODS, NAMESPACE, label_selector=selector)).items:
            status = {"phase": "Succeeded", "containerStatuses": []}
            await client.patch(PODS, name_of(pod), {"status": status}, namespace=NAMESPACE, subresource="status")
        await self.settle()

    async def settle(self, seconds: float = SOON) -> None:
        await asyncio.sleep(seconds)

    async def why(self, reference: str) -> chain.Answer:
        """As ``sidings why`` finds it."""
        client = self.plane.client
        [(resource, name)] = jobs.split_reference([reference])
        family = await one_job.find(client, resource, name, NAMESPACE)
        return await one_job.answer(client, self.plane.clock, family, NAMESPACE, "")

    async def run(self, command: str) -> None:
        """A command line as it was printed, by the shell; then what it changes is given its time."""
        work = partial(
            subprocess.run, ["sh", "-c", command], env=self._environ, capture_output=True, text=True, timeout=60
        )
        done = await asyncio.get_running_loop().run_in_executor(None, work)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        await self.settle()
        if not self.kubelet.is_dead:
            await self.kubelet.again(NAMESPACE)
        await self.settle()


@asynccontextmanager
async def living(folder: Path, identity: Identity, rules: Sequence[Rule]) -> AsyncIterator[World]:
    """A world with the namespace ``team``; ``folder`` becomes the home of its engine."""
    clock, rng, store = LoopClock(), random.Random(1), Store.in_memory()
    plane = ControlPlane(store, clock, rng, claims=Path("/claims"), ca="CA")
    await bootstrap.bootstrap(plane.client)
    kubelet = Kubelet(plane.client, clock, rules)
    plane.client.read_logs_from(kubelet)
    app = App(plane.registry, NoPods(), StaticTokens({identity.token: ADMIN}), clock, rng)
    server = ApiServer(app, bind("127.0.0.1", 0), identity.certificate_file, identity.key_file)
    working = [asyncio.create_task(work) for work in (server.serve(), plane.run(), kubelet.run())]
    await plane.client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    try:
        yield World(plane, kubelet, _environ(folder, server.url, identity))
    finally:
        server.close()
        for task in working[1:]:
            task.cancel()
        await asyncio.wait(working)
        await store.close()


def _environ(folder: Path, url: str, identity: Identity) -> dict[str, str]:
    """Where kubectl and sidings find this world, as if it were a machine's engine."""
    home = Home(folder)
    kubeconfig.write(home.kubeconfig, server=url, certificate_authority=identity.authority, token=identity.token)
    me = process.of_this_process()
    record = EngineRecord(me.pid, me.start_ticks, me.boot_id, url, str(home.kubeconfig), "test", "2026-01-01T00:00:00Z")
    home.write_record(record)
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "KUBECONFIG": str(home.kubeconfig),
        "SIDINGS_HOME": str(folder),
    }
