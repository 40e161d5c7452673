"""LocalQueues of one ClusterQueue take turns by what they have used of late."""

from __future__ import annotations

import pytest

from sidings.api.kueue import configuration
from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, LOCAL_QUEUES, NAMESPACES
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime
SHARING = f"""apiVersion: {configuration.GROUP}/v1beta2
kind: Configuration
admissionFairSharing: {{usageHalfLifeTime: 10m, usageSamplingInterval: 1m}}
"""


async def two_teams(cluster: Cluster, mode: str = "UsageBasedAdmissionFairSharing", text: str = SHARING) -> None:
    client = cluster.plane.client
    await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kueue-system"}})
    metadata = {"name": configuration.NAME, "namespace": configuration.NAMESPACE}
    await client.create(
        CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {configuration.KEY: text}}
    )
    await cluster.queue("1", local="eager", admissionScope={"admissionMode": mode})
    await cluster.make(LOCAL_QUEUES, "late", {"clusterQueue": "cq"})
    await cluster.job("first", queue="eager")
    await cluster.settle(330)
    await cluster.job("second", queue="eager")
    await cluster.settle()
    await cluster.job("other", queue="late")
    await cluster.settle()
    await cluster.finish("first")


async def test_who_has_used_less_goes_first_although_it_came_later(cluster: Cluster) -> None:
    await two_teams(cluster)
    assert await cluster.runs("other")
    assert not await cluster.runs("second")


async def test_without_the_scope_age_decides(cluster: Cluster) -> None:
    await two_teams(cluster, mode="NoAdmissionFairSharing")
    assert await cluster.runs("second")


async def test_the_status_says_what_was_used(cluster: Cluster) -> None:
    await two_teams(cluster)
    queue = await cluster.plane.client.get(LOCAL_QUEUES, "eager", "team")
    known: Object = queue["status"]["fairSharing"]["admissionFairSharingStatus"]
    consumed = known["consumedResources"]["cpu"]
    assert consumed.endswith("m") and 200 < int(consumed[:-1]) < 500
    assert queue["status"]["conditions"][0]["status"] == "True", "the other controller's part stays"


async def test_an_admission_counts_before_the_first_sample(cluster: Cluster) -> None:
    await two_teams(cluster, text=SHARING.replace("10m", "1h").replace("1m", "1h"))
    assert await cluster.runs("other")
    assert not await cluster.runs("second")
