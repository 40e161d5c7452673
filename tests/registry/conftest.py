"""A registry on memory with the real kinds and the real admission, on a clock that moves when told."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from sidings.api import catalog
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import WriteOptions
from sidings.api.resources import NAMESPACES, Resource
from sidings.clock import ManualClock
from sidings.registry.admission import defaults
from sidings.registry.registry import Registry
from sidings.store.store import Store


@dataclass
class Api:
    """The registry and what tests do with it again and again."""

    registry: Registry
    store: Store
    clock: ManualClock
    rng: random.Random
    warnings: list[str] = field(default_factory=list)

    def kind(self, resource: Resource) -> Kind:
        kind = self.registry.catalog.by_plural(resource.group, resource.version, resource.plural)
        assert kind is not None
        return kind

    def options(self, **wanted: Any) -> WriteOptions:
        return WriteOptions(**{"field_manager": "test", "warn": self.warnings.append, **wanted})

    async def create(self, resource: Resource, obj: Object, namespace: str = "default", **wanted: Any) -> Object:
        return await self.registry.create(
            self.kind(resource), obj, namespace if resource.namespaced else "", self.options(**wanted)
        )

    def get(self, resource: Resource, name: str, namespace: str = "default") -> Object:
        return self.registry.get(self.kind(resource), name, namespace if resource.namespaced else "").object

    async def update(self, resource: Resource, obj: Object, *, subresource: str = "", **wanted: Any) -> Object:
        metadata = obj["metadata"]
        return await self.registry.update(
            self.kind(resource),
            metadata["name"],
            obj,
            metadata.get("namespace") or "",
            self.options(**wanted),
            subresource=subresource,
        )

    async def patch(
        self,
        resource: Resource,
        name: str,
        body: Any,
        patch_type: str = "application/merge-patch+json",
        *,
        namespace: str = "default",
        subresource: str = "",
        **wanted: Any,
    ) -> Object:
        patched, _ = await self.registry.patch(
            self.kind(resource),
            name,
            body,
            namespace if resource.namespaced else "",
            self.options(**wanted),
            patch_type=patch_type,
            subresource=subresource,
        )
        return patched


@pytest.fixture
async def api() -> Api:
    clock, store, rng = ManualClock(), Store.in_memory(), random.Random(7)
    plugins = defaults.plugins(clock, service_accounts=False)
    api = Api(Registry(store, catalog.builtin(), clock, rng, admission=plugins), store, clock, rng)
    await api.create(NAMESPACES, {"metadata": {"name": "default"}})
    return api


@pytest.fixture
def pod() -> Object:
    return {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


@pytest.fixture
def config_map() -> Object:
    return {"metadata": {"name": "c"}, "data": {"k": "v"}}


@pytest.fixture
def jobset() -> Object:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    job = {"name": "a", "template": {"spec": {"parallelism": 1, "completions": 1, "template": template}}}
    return {"metadata": {"name": "js"}, "spec": {"suspend": True, "replicatedJobs": [job]}}
