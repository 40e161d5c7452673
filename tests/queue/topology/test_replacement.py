"""Where pods go whose nodes have failed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sidings.api.kueue.topology_assignment import Placement
from sidings.queue import snapshot, workloads
from sidings.queue.snapshot import Snapshot
from sidings.queue.topology import replacement
from sidings.queue.workloads import Admission, PodSetAdmission, held
from tests.queue import objects

HOST = "kubernetes.io/hostname"
RACKS = {"x1": "r1", "x2": "r1", "x3": "r1", "y1": "r2", "y2": "r2"}


def used(built: Snapshot) -> dict[tuple[str, ...], int]:
    return {leaf.values: leaf.used.get("cpu", 0) for leaf in built.topologies["default"].by_level[1]}


def replaced(places: dict[str, int], failed: str, cpus: dict[str, int], **request: Any) -> dict[str, int] | None:
    """New places of a workload of 1 CPU a pod; ``cpus`` are of the nodes that are left."""
    topology = objects.topology("rack", HOST)
    nodes = [objects.node(name, str(cpu), rack=RACKS[name]) for name, cpu in cpus.items()]
    built = snapshot.build([objects.flavor(topologyName="tp"), objects.cluster_queue("q", "99"), topology, *nodes])
    count = sum(places.values())
    workload = workloads.of_object(objects.workload("w", count=count, topologyRequest=request))
    placement = Placement((HOST,), tuple(((name,), pods) for name, pods in sorted(places.items())))
    entry = PodSetAdmission("main", count, {"cpu": "default"}, {"cpu": 1000 * count}, placement)
    running = replace(workload, admission=Admission("q", (entry,)), unhealthy_nodes=(failed,))
    built.add(running)
    before = used(built)
    found = replacement.admission(built, running)
    assert used(built) == before, "the snapshot comes back as it was"
    if found is None:
        return None
    assert found.pod_sets[0].usage == held(running).pod_sets[0].usage
    kept = found.pod_sets[0].placement
    assert kept is not None
    return {values[0]: pods for values, pods in kept.domains}


def test_only_what_was_lost_moves() -> None:
    cpus = {"x1": 2, "x3": 3, "y1": 9}
    assert replaced({"x1": 2, "x2": 2}, "x2", cpus, required="rack") == {"x1": 2, "x3": 2}


def test_what_must_be_in_one_rack_stays_in_it() -> None:
    cpus = {"x1": 2, "x3": 1, "y1": 9}
    assert replaced({"x1": 2, "x2": 2}, "x2", cpus, required="rack") is None


def test_what_may_be_anywhere_goes_anywhere() -> None:
    cpus = {"x1": 2, "x3": 1, "y1": 9}
    assert replaced({"x1": 2, "x2": 2}, "x2", cpus, preferred="rack") == {"x1": 2, "y1": 2}


def test_a_workload_that_has_lost_all_is_placed_as_if_new() -> None:
    assert replaced({"x2": 2}, "x2", {"x1": 1, "y1": 2}, required="rack") == {"y1": 2}


def test_pods_of_a_slice_that_lost_a_part_join_the_rest_of_it() -> None:
    slices = {"preferred": "rack", "podSetSliceRequiredTopology": "rack", "podSetSliceSize": 4}
    cpus = {"x1": 3, "x3": 1, "y1": 2, "y2": 2}
    places = {"x1": 3, "x2": 1, "y1": 2, "y2": 2}
    assert replaced(places, "x2", cpus, **slices) == {"x1": 3, "x3": 1, "y1": 2, "y2": 2}
    assert replaced(places, "x2", cpus | {"x3": 0, "y1": 9}, **slices) is None


def test_nodes_in_use_by_others_are_not_free() -> None:
    assert replaced({"x1": 2, "x2": 1}, "x2", {"x1": 2}, unconstrained=True) is None
