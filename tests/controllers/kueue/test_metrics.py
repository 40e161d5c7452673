"""Figures of the queue, as Prometheus reads them."""

from __future__ import annotations

import pytest

from sidings.api.resources import WORKLOAD_PRIORITY_CLASSES
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime


async def lines(cluster: Cluster) -> list[str]:
    return list(cluster.plane.kueue.scheduler.metrics.lines())


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
    assert f"kueue_cluster_queue_nominal_quota{{{labels}}} 2" in found


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
