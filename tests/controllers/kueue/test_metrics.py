"""Figures of the queue, as Prometheus reads them."""

from __future__ import annotations

import pytest

from sidings.api.resources import CLUSTER_QUEUES, PODS, WORKLOAD_PRIORITY_CLASSES
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime


ROLE = ',replica_role="standalone"'


async def lines(cluster: Cluster) -> list[str]:
    """Without the label that all have."""
    found = cluster.plane.kueue.scheduler.metrics.lines()
    assert all("replica_role=" in line for line in found if not line.startswith("#"))
    return [line.replace(ROLE, "") for line in found]


async def test_states_of_queues(cluster: Cluster) -> None:
    await cluster.queue("2", cohortName="team")
    for name in ("a", "b"):
        await cluster.job(name, pods=2)
        await cluster.settle()
    found = await lines(cluster)
    labels = 'cohort="team",cluster_queue="cq",flavor="default",resource="cpu"'
    assert 'kueue_pending_workloads{cluster_queue="cq",status="inadmissible"} 1' in found
    assert 'kueue_pending_workloads{cluster_queue="cq",status="active"} 0' in found
    assert 'kueue_admitted_active_workloads{cluster_queue="cq"} 1' in found
    assert 'kueue_cluster_queue_status{cluster_queue="cq",status="active"} 1' in found
    assert f"kueue_cluster_queue_resource_reservation{{{labels}}} 2" in found
    assert f"kueue_cluster_queue_resource_usage{{{labels}}} 2" in found
    assert f"kueue_cluster_queue_nominal_quota{{{labels}}} 2" in found
    assert 'kueue_unadmitted_workloads{cluster_queue="cq",reason="WaitingForQuota",underlying_cause=""} 1' in found
    assert 'kueue_cluster_queue_info{cluster_queue="cq",cohort="team",root_cohort="team"} 1' in found
    assert 'kueue_cohort_subtree_quota{cohort="team",flavor="default",resource="cpu"} 2' in found
    assert 'kueue_cohort_subtree_resource_reservations{cohort="team",flavor="default",resource="cpu"} 2' in found


async def test_what_happened_is_counted(cluster: Cluster) -> None:
    await cluster.make(WORKLOAD_PRIORITY_CLASSES, "high", value=100)
    await cluster.queue("2", preemption={"withinClusterQueue": "LowerPriority"})
    await cluster.job("low", pods=2)
    await cluster.settle()
    await cluster.job("high", pods=2, labels={"kueue.x-k8s.io/priority-class": "high"})
    await cluster.settle()
    await cluster.finish("high")
    found = await lines(cluster)
    low, high = (f'cluster_queue="cq",priority_class="{name}"' for name in ("", "high"))
    assert f"kueue_admitted_workloads_total{{{high}}} 1" in found
    assert f"kueue_admitted_workloads_total{{{low}}} 2" in found
    assert f"kueue_finished_workloads_total{{{high}}} 1" in found
    assert f"kueue_quota_reserved_wait_time_seconds_count{{{high}}} 1" in found
    assert 'kueue_preempted_workloads_total{preempting_cluster_queue="cq",reason="InClusterQueue"} 1' in found
    evicted = 'cluster_queue="cq",reason="Preempted",underlying_cause="",priority_class=""'
    assert f"kueue_evicted_workloads_total{{{evicted}}} 1" in found
    once = 'cluster_queue="cq",reason="Preempted",detailed_reason="",priority_class=""'
    assert f"kueue_evicted_workloads_once_total{{{once}}} 1" in found
    assert 'kueue_workload_eviction_latency_seconds_count{cluster_queue="cq",reason="Preempted"} 1' in found
    assert f"kueue_execution_time_seconds_count{{{high}}} 1" in found
    assert 'kueue_finished_workloads{cluster_queue="cq"} 1' in found


async def test_how_long_pods_took_to_get_ready_and_stayed_so(cluster: Cluster) -> None:
    await cluster.queue("2")
    await cluster.job("j")
    await cluster.settle()
    (pod,) = await cluster.pods("j")
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    body = {"status": {"phase": "Running", "conditions": [ready]}}
    await cluster.plane.client.patch(PODS, pod["metadata"]["name"], body, namespace="team", subresource="status")
    await cluster.settle(20)
    await cluster.patch(CLUSTER_QUEUES, "cq", {"spec": {"stopPolicy": "HoldAndDrain"}})
    await cluster.settle()
    found = await lines(cluster)
    queue = 'cluster_queue="cq",priority_class=""'
    assert f"kueue_ready_wait_time_seconds_count{{{queue}}} 1" in found
    assert f"kueue_admitted_until_ready_wait_time_seconds_count{{{queue}}} 1" in found
    evicted = 'cluster_queue="cq",reason="ClusterQueueStopped",underlying_cause=""'
    assert f"kueue_pods_ready_to_evicted_time_seconds_count{{{evicted}}} 1" in found
    assert 'kueue_cluster_queue_status{cluster_queue="cq",status="pending"} 1' in found
