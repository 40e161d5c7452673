"""The ConfigMap of Kueue's manager counts as soon as it is written."""

from __future__ import annotations

import pytest

from sidings.api.kueue import configuration
from sidings.api.objects import Object, controller_ref
from sidings.api.resources import CONFIG_MAPS, CRDS, EVENTS, JOBS, NAMESPACES, PODS, WORKLOADS, Resource
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


async def test_jobs_of_a_kind_that_is_not_listed_run_at_once_and_are_held_from_when_it_is(cluster: Cluster) -> None:
    await configure(cluster, "integrations: {frameworks: [jobset.x-k8s.io/jobset]}")
    await cluster.queue("1")
    await cluster.job("j", pods=2)
    await cluster.settle()
    assert len(await cluster.pods("j")) == 2
    assert (await cluster.plane.client.list(WORKLOADS, "team")).items == []
    text = HEAD + "integrations: {frameworks: [batch/job], labelKeysToCopy: [team]}"
    body = {"data": {configuration.KEY: text}}
    await cluster.plane.client.patch(CONFIG_MAPS, configuration.NAME, body, namespace=configuration.NAMESPACE)
    await cluster.settle()
    assert not await cluster.runs("j")
    assert (await cluster.condition("j", "QuotaReserved"))["reason"] == "ExceedsMaxQuota"


async def test_pods_are_held_only_where_pods_are_listed(cluster: Cluster) -> None:
    await configure(cluster, "integrations: {frameworks: [batch/job]}")
    await cluster.queue()
    labels = {"kueue.x-k8s.io/queue-name": "lq"}
    made = await cluster.make(PODS, "p", {"containers": [{"name": "c", "image": "i"}]}, labels=labels)
    assert "schedulingGates" not in made["spec"]


async def test_labels_that_are_asked_for_are_copied_to_the_workload(cluster: Cluster) -> None:
    await configure(cluster, "integrations: {labelKeysToCopy: [team, other]}")
    await cluster.queue()
    await cluster.job("j", labels={"team": "a", "x": "y"})
    await cluster.settle()
    labels = (await cluster.workload("j"))["metadata"]["labels"]
    assert {key: labels.get(key) for key in ("team", "other", "x")} == {"team": "a", "other": None, "x": None}


async def test_what_an_external_framework_makes_is_its_own_affair(cluster: Cluster) -> None:
    """Its object names a queue, and somebody else asks for quota: the Job that it makes only waits for that."""
    await configure(cluster, "integrations: {externalFrameworks: [Batch.v1.example.com]}")
    names = {"plural": "batches", "kind": "Batch"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    await cluster.make(CRDS, "batches.example.com", spec)
    await cluster.settle(1)
    await cluster.queue(local="default")
    batches = Resource("example.com", "v1", "batches", "Batch")
    owner = await cluster.make(batches, "b", labels={"kueue.x-k8s.io/queue-name": "default"})
    await cluster.job("j", queue="", ownerReferences=[controller_ref({**owner, "kind": "Batch"})])
    await cluster.settle()
    assert not await cluster.runs("j")
    assert (await cluster.plane.client.list(WORKLOADS, "team")).items == []


async def test_what_is_over_is_kept_for_as_long_as_that_is_asked_for(cluster: Cluster) -> None:
    await configure(cluster, "objectRetentionPolicies: {workloads: {afterFinished: 1m, afterDeactivatedByKueue: 1m}}")
    await cluster.queue()
    await cluster.job("done")
    await cluster.job("late", labels={"kueue.x-k8s.io/max-exec-time-seconds": "10"})
    await cluster.job("by-a-person")
    await cluster.settle()
    await cluster.finish("done")
    name = (await cluster.workload("by-a-person"))["metadata"]["name"]
    await cluster.patch(WORKLOADS, name, {"spec": {"active": False}})
    await cluster.settle(30)
    assert len((await cluster.plane.client.list(WORKLOADS, "team")).items) == 3
    await cluster.settle(60)
    left = [job["metadata"]["name"] for job in (await cluster.plane.client.list(JOBS, "team")).items]
    assert sorted(left) == ["by-a-person", "done"]
    workloads = (await cluster.plane.client.list(WORKLOADS, "team")).items
    assert [workload["metadata"]["name"] for workload in workloads] == [name]
    assert await cluster.pods("done"), "only the Workload goes"
