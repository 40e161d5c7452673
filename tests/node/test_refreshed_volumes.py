"""Files of ConfigMaps, Secrets and the pod itself change while its containers run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidings.api.resources import CONFIG_MAPS, PODS
from sidings.node.logical_node import NodeConfig
from tests.node import clusters
from tests.node.clusters import Cluster


@pytest.fixture
async def refreshing(state_dir: Path) -> AsyncIterator[Cluster]:
    async for made in clusters.opened(state_dir, NodeConfig(volume_refresh_seconds=0.1)):
        yield made


async def test_a_running_container_sees_the_new_text(refreshing: Cluster) -> None:
    await refreshing.create(CONFIG_MAPS, "settings", data={"color": "red"})
    items = [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]
    sources = [{"configMap": {"name": "settings"}}, {"downwardAPI": {"items": items}}]
    await refreshing.run(
        "echo up; until grep -q blue /v/color && grep -q stage /v/labels; do sleep 0.05; done; cat /v/color /v/labels",
        volumes=[{"name": "v", "projected": {"sources": sources}}],
        container_fields={"volumeMounts": [{"name": "v", "mountPath": "/v"}]},
    )
    await refreshing.phase("Running")
    await refreshing.said("up")
    await refreshing.client.patch(CONFIG_MAPS, "settings", {"data": {"color": "blue"}}, namespace="default")
    await refreshing.client.patch(PODS, "p", {"metadata": {"labels": {"stage": "two"}}}, namespace="default")
    await refreshing.phase("Succeeded")
    assert (await refreshing.logs()).split() == ["up", 'bluestage="two"']


async def test_a_source_that_is_gone_leaves_the_files_and_is_told(refreshing: Cluster) -> None:
    await refreshing.create(CONFIG_MAPS, "settings", data={"color": "red"})
    await refreshing.run(
        "echo up; sleep 60",
        volumes=[{"name": "v", "configMap": {"name": "settings"}}],
        container_fields={"volumeMounts": [{"name": "v", "mountPath": "/v"}]},
    )
    await refreshing.phase("Running")
    await refreshing.said("up")
    await refreshing.client.delete(CONFIG_MAPS, "settings", "default")
    assert 'configmap "settings" not found' in await refreshing.event("FailedMount")
