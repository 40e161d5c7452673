"""``metrics.k8s.io``: what nodes and pods use right now, for ``kubectl top``. Measured when asked for, never stored.

Forms and texts are metrics-server's (0.8). A logical node uses what its pods use; the machine itself is nobody's node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sidings.api import options, timestamps
from sidings.api.objects import Object, labels_of, name_of, namespace_of, uid_of
from sidings.api.pods import USAGE_WINDOW_SECONDS, PodUsage, Usage
from sidings.api.resources import NODES, PODS, Resource
from sidings.api.status import MethodNotAllowed, NotFound
from sidings.registry.registry import Registry
from sidings.server.paths import ResourcePath
from sidings.server.queries import Query

GROUP, VERSION = "metrics.k8s.io", "v1beta1"
NODE_METRICS = Resource(GROUP, VERSION, "nodes", "NodeMetrics", False)
POD_METRICS = Resource(GROUP, VERSION, "pods", "PodMetrics", True)
RESOURCES = (NODE_METRICS, POD_METRICS)

UsageOfPods = Mapping[str, Mapping[str, Usage]]


class Metrics:
    """Answers for the pods and nodes of one registry."""

    def __init__(self, registry: Registry, pods: PodUsage) -> None:
        self._registry = registry
        self._pods = pods

    async def answer(self, method: str, path: ResourcePath, query: Query, now: datetime) -> Object:
        """One object or a list. Raises NotFound for what is not there or does not run."""
        if method != "GET" or path.subresource:
            raise MethodNotAllowed("the server does not allow this method on the requested resource")
        if path.plural == NODE_METRICS.plural:
            return await self._nodes(path, query, now)
        pods = self._listed(PODS, path, query)
        found = pod_metrics(pods, await self._pods.usage(pods), now)
        return _one(POD_METRICS, f"{path.namespace}/{path.name}", found) if path.name else _list(POD_METRICS, found)

    async def _nodes(self, path: ResourcePath, query: Query, now: datetime) -> Object:
        pods = self._listed(PODS, ResourcePath("", "v1", "pods"), Query())
        usage = await self._pods.usage(pods)
        found = node_metrics(self._listed(NODES, path, query), pods, usage, now)
        return _one(NODE_METRICS, path.name, found) if path.name else _list(NODE_METRICS, found)

    def _listed(self, resource: Resource, path: ResourcePath, query: Query) -> list[Object]:
        kind = self._registry.catalog.by_plural(resource.group, resource.version, resource.plural)
        assert kind is not None
        if path.name:
            return [self._registry.get(kind, path.name, path.namespace).object]
        page = self._registry.list(kind, path.namespace, options.for_list(query))
        return [item.object for item in page.items]


def pod_metrics(pods: Iterable[Object], usage: UsageOfPods, now: datetime) -> list[Object]:
    """``PodMetrics`` of the pods that run."""
    return [
        {
            **_head(POD_METRICS, pod, now),
            "containers": [
                {"name": name, "usage": _quantities(used)} for name, used in sorted(usage[uid_of(pod)].items())
            ],
        }
        for pod in pods
        if usage.get(uid_of(pod))
    ]


def node_metrics(nodes: Iterable[Object], pods: Sequence[Object], usage: UsageOfPods, now: datetime) -> list[Object]:
    """``NodeMetrics``: of each node the sum over its pods."""
    found = []
    for node in nodes:
        mine = [
            used
            for pod in pods
            if pod["spec"].get("nodeName") == name_of(node)
            for used in usage.get(uid_of(pod), {}).values()
        ]
        total = Usage(sum(used.cpu_cores for used in mine), sum(used.memory_bytes for used in mine))
        found.append({**_head(NODE_METRICS, node, now), "usage": _quantities(total)})
    return found


def _head(resource: Resource, of: Object, now: datetime) -> Object:
    metadata: Object = {"name": name_of(of), "creationTimestamp": timestamps.to_text(now)}
    if resource.namespaced:
        metadata["namespace"] = namespace_of(of)
    if labels := labels_of(of):
        metadata["labels"] = labels
    return {
        "kind": resource.kind,
        "apiVersion": resource.api_version,
        "metadata": metadata,
        "timestamp": timestamps.to_text(now),
        "window": f"{USAGE_WINDOW_SECONDS:g}s",
    }


def _quantities(used: Usage) -> Object:
    return {"cpu": f"{round(used.cpu_cores * 1e9)}n", "memory": f"{used.memory_bytes // 1024}Ki"}


def _one(resource: Resource, name: str, found: Sequence[Object]) -> Object:
    if not found:
        raise NotFound(
            f'{resource.kind.lower()}.{GROUP} "{name}" not found', name=name, group=GROUP, kind=resource.kind.lower()
        )
    return found[0]


def _list(resource: Resource, found: Sequence[Object]) -> Object:
    return {"kind": f"{resource.kind}List", "apiVersion": resource.api_version, "metadata": {}, "items": list(found)}
