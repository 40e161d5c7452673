"""Workloads as the scheduler sees them."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.queue import workloads
from tests.queue import objects


def held(spec_count: int, admitted: int, done: int) -> tuple[int, int]:
    """(pods, millicores) of an admission at one cpu a pod."""
    obj = objects.workload("w", count=spec_count)
    entry: Object = {
        "name": "main",
        "count": admitted,
        "flavors": {"cpu": "f"},
        "resourceUsage": {"cpu": str(admitted)},
    }
    obj["status"] = {"admission": {"clusterQueue": "q", "podSetAssignments": [entry]}}
    if done:
        obj["status"]["reclaimablePods"] = [{"name": "main", "count": done}]
    [pod_set] = workloads.held(workloads.of_object(obj)).pod_sets
    return pod_set.count, pod_set.usage["cpu"]


def test_pods_that_are_done_since_the_admission_hold_nothing() -> None:
    assert held(spec_count=3, admitted=3, done=1) == (2, 2000)


def test_pods_that_were_done_before_the_admission_are_not_taken_off_again() -> None:
    assert held(spec_count=3, admitted=1, done=2) == (1, 1000)
    assert held(spec_count=3, admitted=0, done=3) == (0, 0)


def test_a_reduced_admission_loses_quota_only_when_fewer_pods_are_left_than_it_has() -> None:
    assert held(spec_count=5, admitted=3, done=2) == (3, 3000)
    assert held(spec_count=5, admitted=3, done=3) == (2, 2000)
