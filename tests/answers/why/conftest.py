"""Jobs that go wrong in a whole control plane in memory, asked why by the code of the command line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from sidings.answers.finding import Finding, Severity
from sidings.answers.why import chain
from sidings.api.objects import Object
from sidings.api.resources import NAMESPACES, NODES, PODS, RESOURCE_FLAVORS
from sidings.cli import jobs
from sidings.host import surroundings
from tests import control_planes
from tests.answers import kubectl
from tests.controllers.kueue.conftest import Cluster


@dataclass
class Asked(Cluster):
    """A cluster whose jobs are asked about, and mended by what the answer prints."""

    async def node(self, name: str, labels: dict[str, str] | None = None, **spec: object) -> None:
        amounts = {"cpu": "4", "memory": "8Gi", "pods": "110", "nvidia.com/gpu": "2"}
        ready = [{"type": "Ready", "status": "True"}]
        status = {"allocatable": amounts, "capacity": amounts, "conditions": ready}
        marked = {"kubernetes.io/hostname": name, **(labels or {})}
        await self.make(NODES, name, dict(spec), labels=marked)
        await self.plane.client.patch(NODES, name, {"status": status}, subresource="status")

    async def why(self, name: str) -> chain.Answer:
        client = self.plane.client
        family = await jobs.find(client, None, name, "team")
        around = await surroundings.read(client, self.plane.clock, "team", "")
        return chain.answer(family, around)

    async def root_cause(self, name: str) -> Finding:
        answer = await self.why(name)
        assert answer.findings, f"nothing found about {name}: {answer}"
        return answer.findings[0]

    async def mend(self, found: Finding) -> None:
        """Runs the command of a finding as it is printed."""
        await kubectl.run(found.remedy, self.plane.client)
        await self.settle()

    async def is_well(self, name: str) -> bool:
        """Whether nothing above a note is found."""
        return all(found.severity is Severity.NOTE for found in (await self.why(name)).findings)

    async def report(self, pod: Object, status: Object) -> None:
        """What a node says of a pod."""
        name = pod["metadata"]["name"]
        await self.plane.client.patch(PODS, name, {"status": status}, namespace="team", subresource="status")
        await self.settle()


@pytest.fixture
async def asked() -> AsyncIterator[Asked]:
    async for plane in control_planes.running():
        made = Asked(plane)
        await made.make(NAMESPACES, "team")
        await made.make(RESOURCE_FLAVORS, "default", {})
        yield made
