"""A registry in memory with a real agent on it: what a pod's object and its processes do together."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.pods import LogOptions
from sidings.api.resources import EVENTS, NAMESPACES, PODS, Resource
from sidings.api.status import NotFound
from sidings.client.local import LocalClient
from sidings.clock import SystemClock
from sidings.node.agent import NodeAgent
from sidings.node.gpus.source import GpuSource
from sidings.node.logical_node import LogicalNode, NodeConfig
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.node.pods import container, pod
from tests.node.sandboxes import leftovers
from tests.node.waiting import PATIENCE_SECONDS

NODES = (LogicalNode("node-1", "8", "32Gi", gpus=2, simulate_gpus=True), LogicalNode("node-2", "8", "32Gi"))


class Cluster:
    """One engine without controllers: pods are bound by their manifest."""

    def __init__(
        self,
        directory: Path,
        config: NodeConfig | None = None,
        nodes: Sequence[LogicalNode] = NODES,
        gpus: GpuSource | None = None,
    ) -> None:
        self.directory = directory
        self._config = config
        self._nodes = nodes
        self._gpus = gpus
        self._registry = Registry(Store.in_memory(), catalog.builtin(), SystemClock(), random.Random(0))
        self.client = LocalClient(self._registry)
        self.agent = self._new_agent()
        self._task: asyncio.Task[None] | None = None
        self.image = "example.com/image:1"
        """Of the pods that ``run`` makes."""

    def _new_agent(self) -> NodeAgent:
        return NodeAgent(
            self.client, SystemClock(), random.Random(0), self.directory, self._nodes, self._config, self._gpus
        )

    async def start(self) -> None:
        self._task = asyncio.create_task(self.agent.run())
        with contextlib.suppress(NotFound):
            await self.client.get(NAMESPACES, "default")
            return
        await self.client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}})

    async def lose_agent(self) -> None:
        """The control plane dies; its sandboxes do not."""
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def restart_agent(self, nodes: Sequence[LogicalNode] | None = None) -> None:
        self._nodes = nodes or self._nodes
        self.agent = self._new_agent()
        await self.start()

    async def close(self) -> None:
        await self.lose_agent()
        notes = self.directory / "cgroups.json"
        groups = json.loads(notes.read_text()) if notes.exists() else []
        await self.agent.stop_all()
        assert leftovers(self.directory) == []
        assert not any(Path(group).exists() for group in groups), "a control group is left"

    async def create(self, resource: Resource, name: str, **fields: Any) -> Object:
        body = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": name}, **fields}
        return await self.client.create(resource, body, namespace="default")

    async def run(self, script: str, name: str = "p", metadata: Object | None = None, **spec: Any) -> Object:
        """Create a pod of one shell; ``spec`` may hold ``container_fields``."""
        fields = spec.pop("container_fields", {})
        made = pod(container(**({"command": ["sh", "-c", script], "image": self.image} | fields)), name=name, **spec)
        made["metadata"] = {"name": name, "namespace": "default", **(metadata or {})}
        return await self.client.create(PODS, made, namespace="default")

    async def get(self, name: str = "p") -> Object:
        return await self.client.get(PODS, name, "default")

    async def until(
        self, condition: Callable[[Object], object], name: str = "p", seconds: float = PATIENCE_SECONDS
    ) -> Object:
        """The pod once ``condition`` holds for it."""
        async with asyncio.timeout(seconds):
            while True:
                assert self._task is None or not self._task.done(), "the agent has ended"
                found = await self.get(name)
                if condition(found):
                    return found
                await asyncio.sleep(0.005)

    async def phase(self, *wanted: str, name: str = "p", seconds: float = PATIENCE_SECONDS) -> Object:
        return await self.until(lambda found: found.get("status", {}).get("phase") in wanted, name, seconds)

    async def gone(self, name: str = "p") -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            with contextlib.suppress(NotFound):
                while True:
                    await self.get(name)
                    await asyncio.sleep(0.005)

    async def logs(self, name: str = "p", **options: Any) -> str:
        wanted = LogOptions("c", **options)
        return b"".join([chunk async for chunk in self.agent.doors.logs(await self.get(name), wanted)]).decode()

    async def said(self, text: str, name: str = "p") -> None:
        """Wait until the pod's running container has written ``text``."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for chunk in self.agent.doors.logs(await self.get(name), LogOptions("c", follow=True)):
                if text.encode() in chunk:
                    return

    async def output(self, script: str, **fields: Any) -> str:
        """The output of a pod that succeeds."""
        await self.run(script, **fields)
        await self.phase("Succeeded", "Failed", name=fields.get("name", "p"))
        return await self.logs(fields.get("name", "p"))

    async def events(self, reason: str) -> list[str]:
        return [event["message"] for event in (await self.client.list(EVENTS)).items if event["reason"] == reason]

    async def event(self, reason: str) -> str:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                if found := await self.events(reason):
                    return found[0]
                await asyncio.sleep(0.01)


def terminated(found: Object) -> Object:
    """The terminated state of a pod's container."""
    return dict(found["status"]["containerStatuses"][0]["state"]["terminated"])


async def opened(
    directory: Path,
    config: NodeConfig | None = None,
    nodes: Sequence[LogicalNode] = NODES,
    gpus: GpuSource | None = None,
) -> AsyncIterator[Cluster]:
    directory.mkdir(parents=True)
    cluster = Cluster(directory, config, nodes, gpus)
    try:
        await cluster.start()
        yield cluster
    finally:
        await cluster.close()
