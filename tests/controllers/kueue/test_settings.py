"""The ConfigMap of Kueue's manager counts as soon as it is written."""

from __future__ import annotations

import pytest

from sidings.api.kueue import configuration
from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, EVENTS, NAMESPACES, PODS
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime
HEAD = "kind: Configuration\n"


async def configure(cluster: Cluster, text: str) -> None:
    await cluster.make(NAMESPACES, configuration.NAMESPACE)
    obj: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": configuration.NAME},
        "data": {configuration.KEY: HEAD + text},
    }
    await cluster.plane.client.create(CONFIG_MAPS, obj, namespace=configuration.NAMESPACE)
    await cluster.settle(1)


async def test_jobs_without_a_queue_are_held_where_that_is_asked_for(cluster: Cluster) -> None:
    await configure(cluster, "manageJobsWithoutQueueName: true")
    await cluster.queue()
    await cluster.job("j", queue="")
    await cluster.settle()
    assert not await cluster.runs("j")
    assert (await cluster.condition("j", "QuotaReserved"))["message"] == "LocalQueue  doesn't exist"


async def test_one_after_the_other_where_admission_waits_for_pods(cluster: Cluster) -> None:
    await configure(cluster, "waitForPodsReady: {blockAdmission: true}")
    await cluster.queue("4")
    await cluster.job("a")
    await cluster.settle()
    await cluster.job("b")
    await cluster.settle()
    assert not await cluster.runs("b")
    assert (await cluster.condition("b", "QuotaReserved"))["reason"] == "WaitingForPodsReady"
    (pod,) = await cluster.pods("a")
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    body = {"status": {"phase": "Running", "conditions": [ready]}}
    await cluster.plane.client.patch(PODS, pod["metadata"]["name"], body, namespace="team", subresource="status")
    await cluster.settle()
    assert await cluster.runs("b")


async def test_a_configuration_that_cannot_be_read_is_told(cluster: Cluster) -> None:
    await configure(cluster, "waitForPodsReady: {timeout: soon}")
    events = (await cluster.plane.client.list(EVENTS, configuration.NAMESPACE)).items
    assert [(event["reason"], event["message"]) for event in events] == [
        ("InvalidConfiguration", "waitForPodsReady.timeout: 'soon' is no duration")
    ]
