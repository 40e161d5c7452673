from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.pods import Usage
from sidings.api.resources import NAMESPACES, NODES, PODS
from sidings.api.status import MethodNotAllowed, NotFound
from sidings.server.metrics_api import Metrics
from sidings.server.paths import ResourcePath
from sidings.server.queries import Query
from tests.server.conftest import Api

NOW = datetime(2026, 1, 1, tzinfo=UTC)
USED = {"a": {"main": Usage(0.25, 3 << 20), "side": Usage(0.5, 1 << 20)}, "b": {"main": Usage(1.0, 1 << 30)}}


class Pods:
    """``api.pods.PodUsage`` by the name of the pod."""

    async def usage(self, pods: Sequence[Object]) -> Mapping[str, Mapping[str, Usage]]:
        return {pod["metadata"]["uid"]: USED[name] for pod in pods if (name := pod["metadata"]["name"]) in USED}


@pytest.fixture
async def metrics() -> Metrics:
    registry = Api().registry

    async def create(resource: Any, name: str, namespace: str = "", spec: Object | None = None, **labels: str) -> None:
        kind = registry.catalog.by_plural(*resource[:3])
        assert kind is not None
        await registry.create(kind, {"metadata": {"name": name, "labels": labels}, "spec": spec or {}}, namespace)

    await create(NAMESPACES, "n")
    for name in ("node-1", "node-2"):
        await create(NODES, name)
    containers = [{"name": "main", "image": "i"}]
    for name, node in (("a", "node-1"), ("b", "node-1"), ("waiting", "")):
        await create(PODS, name, "n", {"containers": containers, "nodeName": node}, app=name)
    return Metrics(registry, Pods())


async def _get(metrics: Metrics, plural: str, name: str = "", query: bytes = b"") -> Object:
    path = ResourcePath("metrics.k8s.io", "v1beta1", plural, "n" if plural == "pods" else "", name)
    return await metrics.answer("GET", path, Query(query), NOW)


async def test_pods_that_run(metrics: Metrics) -> None:
    found = await _get(metrics, "pods")
    assert (found["kind"], found["apiVersion"]) == ("PodMetricsList", "metrics.k8s.io/v1beta1")
    assert [item["metadata"]["name"] for item in found["items"]] == ["a", "b"]
    assert found["items"][0]["containers"] == [
        {"name": "main", "usage": {"cpu": "250000000n", "memory": "3072Ki"}},
        {"name": "side", "usage": {"cpu": "500000000n", "memory": "1024Ki"}},
    ]
    assert found["items"][0]["window"] == "1s"


async def test_pods_by_label_and_by_name(metrics: Metrics) -> None:
    selected = await _get(metrics, "pods", query=b"labelSelector=app%3Db")
    assert [item["metadata"]["name"] for item in selected["items"]] == ["b"]
    assert (await _get(metrics, "pods", "b"))["metadata"]["labels"] == {"app": "b"}


async def test_a_node_uses_what_its_pods_use(metrics: Metrics) -> None:
    usage = {item["metadata"]["name"]: item["usage"] for item in (await _get(metrics, "nodes"))["items"]}
    assert usage == {
        "node-1": {"cpu": "1750000000n", "memory": f"{(4 << 10) + (1 << 20)}Ki"},
        "node-2": {"cpu": "0n", "memory": "0Ki"},
    }
    assert (await _get(metrics, "nodes", "node-1"))["kind"] == "NodeMetrics"


async def test_what_is_refused(metrics: Metrics) -> None:
    with pytest.raises(NotFound, match=r'podmetrics.metrics.k8s.io "n/waiting" not found'):
        await _get(metrics, "pods", "waiting")
    with pytest.raises(NotFound, match='nodes "x" not found'):
        await _get(metrics, "nodes", "x")
    with pytest.raises(MethodNotAllowed):
        await metrics.answer("DELETE", ResourcePath("metrics.k8s.io", "v1beta1", "nodes"), Query(), NOW)
