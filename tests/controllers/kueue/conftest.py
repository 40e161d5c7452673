"""Queues and jobs in a whole control plane in memory, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from sidings.api.conditions import find
from sidings.api.objects import Object
from sidings.api.resources import (
    CLUSTER_QUEUES,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    NODES,
    PODS,
    RESOURCE_FLAVORS,
    TOPOLOGIES,
    WORKLOADS,
    Resource,
)
from sidings.client.interface import PatchType
from sidings.host.control_plane import ControlPlane
from sidings.queue.topology.domains import HOSTNAME
from tests import control_planes

SOON = 5.0
"""Seconds of virtual time in which everything that is due has happened."""


@dataclass
class Cluster:
    """What tests do with queues again and again."""

    plane: ControlPlane

    async def make(self, resource: Resource, name: str, spec: Object | None = None, **fields: Any) -> Object:
        of_metadata = ("labels", "annotations", "ownerReferences")
        marks = {field: value for field in of_metadata if (value := fields.pop(field, None))}
        obj: Object = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {"name": name, **marks},
            **({"spec": spec} if spec is not None else {}),
            **fields,
        }
        return await self.plane.client.create(resource, obj, namespace="team" if resource.namespaced else "")

    async def queue(self, quota: str = "4", name: str = "cq", local: str = "lq", **spec: Any) -> None:
        group = {
            "coveredResources": ["cpu"],
            "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": quota}]}],
        }
        await self.make(CLUSTER_QUEUES, name, {"namespaceSelector": {}, "resourceGroups": [group], **spec})
        await self.make(LOCAL_QUEUES, local, {"clusterQueue": name})

    async def topology(self, *levels: str) -> None:
        """From now on the flavor has a topology, of nodes that ``node`` makes."""
        await self.make(TOPOLOGIES, "tp", {"levels": [{"nodeLabel": level} for level in levels]})
        await self.patch(RESOURCE_FLAVORS, "default", {"spec": {"nodeLabels": {"pool": "tas"}, "topologyName": "tp"}})

    async def node(self, name: str, labels: dict[str, str] | None = None) -> None:
        """One that is ready and has two CPUs."""
        await self.make(NODES, name, {}, labels={HOSTNAME: name, "pool": "tas", **(labels or {})})
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "", "lastTransitionTime": None}
        status = {"allocatable": {"cpu": "2", "pods": "10"}, "conditions": [ready]}
        await self.plane.client.patch(NODES, name, {"status": status}, subresource="status")

    async def job(
        self, name: str, pods: int = 1, queue: str = "lq", labels: dict[str, str] | None = None, **more: Any
    ) -> None:
        container = {"name": "c", "image": "i", "command": ["true"], "resources": {"requests": {"cpu": "1"}}}
        spec = {
            "parallelism": pods,
            "completions": pods,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        }
        marked = {**({"kueue.x-k8s.io/queue-name": queue} if queue else {}), **(labels or {})}
        await self.make(JOBS, name, spec, labels=marked, **more)

    async def patch(self, resource: Resource, name: str, body: Any, kind: PatchType = PatchType.MERGE) -> None:
        namespace = "team" if resource.namespaced else ""
        await self.plane.client.patch(resource, name, body, namespace=namespace, patch_type=kind)

    async def finish(self, name: str) -> None:
        """All pods of a Job succeed."""
        for pod in await self.pods(name):
            status = {"phase": "Succeeded", "containerStatuses": []}
            await self.plane.client.patch(
                PODS, pod["metadata"]["name"], {"status": status}, namespace="team", subresource="status"
            )
        await self.settle()

    async def pods(self, job: str) -> list[Object]:
        selector = f"batch.kubernetes.io/job-name={job}"
        return (await self.plane.client.list(PODS, "team", label_selector=selector)).items

    async def settle(self, seconds: float = SOON) -> None:
        await asyncio.sleep(seconds)

    async def workload(self, job: str) -> Object:
        found = (await self.plane.client.list(WORKLOADS, "team")).items
        return next(item for item in found if item["metadata"]["ownerReferences"][0]["name"] == job)

    async def condition(self, job: str, type_: str) -> Object:
        workload = await self.workload(job)
        return find((workload.get("status") or {}).get("conditions"), type_) or {}

    async def runs(self, job: str) -> bool:
        return not (await self.plane.client.get(JOBS, job, "team"))["spec"]["suspend"]


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async for plane in control_planes.running():
        made = Cluster(plane)
        await made.make(NAMESPACES, "team")
        await made.make(RESOURCE_FLAVORS, "default", {})
        yield made
