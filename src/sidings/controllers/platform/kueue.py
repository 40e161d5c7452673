"""The platform's side of Kueue: its operator writes the configuration, OpenShift AI's makes the default queues.

What they write is in ``api/platform/kueue_configuration`` and ``api/platform/default_queues``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api.kueue import configuration
from sidings.api.objects import Key, Object, is_deleting, key_of, name_of
from sidings.api.platform import default_queues, kueue_configuration
from sidings.api.platform.components import MANAGED
from sidings.api.resources import (
    CLUSTER_QUEUES,
    CLUSTER_ROLE_BINDINGS,
    CONFIG_MAPS,
    DATA_SCIENCE_CLUSTERS,
    KUEUE_OPERATORS,
    LOCAL_QUEUES,
    NAMESPACES,
    NODES,
    RESOURCE_FLAVORS,
    Resource,
)
from sidings.api.status import AlreadyExists, NotFound
from sidings.controllers.platform.controller import ALL, FIELD_MANAGER, everything
from sidings.controllers.runtime.controller import Controller, Mapper

_BY_KIND = {resource.kind: resource for resource in (RESOURCE_FLAVORS, CLUSTER_QUEUES)}


def _of_manager(config_map: Object) -> Iterable[Key]:
    return (ALL,) if key_of(config_map) == Key(configuration.NAMESPACE, configuration.NAME) else ()


class KueueConfiguration(Controller):
    """The ConfigMap of Kueue's manager, from the operator's object; what others write there is undone."""

    name = "kueue configuration"
    resource = KUEUE_OPERATORS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {CONFIG_MAPS: _of_manager}
    workers = 1

    def keys(self, obj: Object) -> Iterable[Key]:
        return everything(obj)

    async def reconcile(self, key: Key) -> float | None:
        for operator in (await self.client.list(KUEUE_OPERATORS)).items:
            if not is_deleting(operator) and (operator["spec"].get("managementState") or MANAGED) == MANAGED:
                await self._write(kueue_configuration.config_map(operator))
        return None

    async def _write(self, wanted: Object) -> None:
        namespace = configuration.NAMESPACE
        try:
            found = await self.client.get(CONFIG_MAPS, configuration.NAME, namespace)
        except NotFound:
            await _make(self, NAMESPACES, {"metadata": {"name": namespace}})
            await _make(self, CONFIG_MAPS, wanted, namespace)
            return
        body = {"metadata": {"ownerReferences": wanted["metadata"]["ownerReferences"]}, "data": wanted["data"]}
        if found.get("data") != body["data"]:
            await self.client.patch(
                CONFIG_MAPS, configuration.NAME, body, namespace=namespace, field_manager=FIELD_MANAGER
            )


class DefaultQueues(Controller):
    """Makes what is missing while a DataScienceCluster has Kueue ``Unmanaged``."""

    name = "default queues"
    resource = DATA_SCIENCE_CLUSTERS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {
        KUEUE_OPERATORS: everything,
        NAMESPACES: everything,
        NODES: everything,
    }
    workers = 1

    def keys(self, obj: Object) -> Iterable[Key]:
        return (ALL,)

    async def reconcile(self, key: Key) -> float | None:
        cluster = default_queues.asked_for((await self.client.list(DATA_SCIENCE_CLUSTERS)).items)
        if cluster is None:
            await self._take_operator_back()
            return None
        if is_deleting(cluster):
            return None
        await _make(self, KUEUE_OPERATORS, default_queues.operator(cluster))
        await _make(self, CLUSTER_ROLE_BINDINGS, default_queues.administrators())
        nodes = (await self.client.list(NODES)).items
        if nodes:  # a quota of nothing would stay one: the queue is never changed
            for obj in default_queues.queues(cluster, nodes):
                await _make(self, _BY_KIND[obj["kind"]], obj)
        for namespace in (await self.client.list(NAMESPACES)).items:
            if default_queues.is_managed(namespace) and not is_deleting(namespace):
                await self._equip(cluster, namespace)
        return None

    async def _take_operator_back(self) -> None:
        for operator in (await self.client.list(KUEUE_OPERATORS)).items:
            if default_queues.is_ours(operator):
                with contextlib.suppress(NotFound):
                    await self.client.delete(KUEUE_OPERATORS, name_of(operator))

    async def _equip(self, cluster: Object, namespace: Object) -> None:
        name = name_of(namespace)
        if labels := default_queues.missing_labels(namespace):
            body = {"metadata": {"labels": labels}}
            await self.client.patch(NAMESPACES, name, body, field_manager=FIELD_MANAGER)
        await _make(self, LOCAL_QUEUES, default_queues.local_queue(cluster, name), name)


async def _make(controller: Controller, resource: Resource, obj: Object, namespace: str = "") -> None:
    """Create what is missing; what is there stays as it is."""
    try:
        await controller.client.get(resource, name_of(obj), namespace)
    except NotFound:
        with contextlib.suppress(AlreadyExists):
            await controller.client.create(resource, obj, namespace=namespace, field_manager=FIELD_MANAGER)
