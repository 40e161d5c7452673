from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.queue.topology import domains
from sidings.queue.topology.placement import Ask, Placed, place
from tests.queue import objects

LEVELS = ("block", "rack", "kubernetes.io/hostname")
CPUS = {
    ("b1", "r1", "x1"): 1,
    ("b1", "r2", "x2"): 1,
    ("b1", "r2", "x3"): 1,
    ("b2", "r3", "x4"): 3,
    ("b2", "r4", "x5"): 2,
}


def node(values: tuple[str, str, str], cpu: int | str) -> Object:
    block, rack, host = values
    return objects.node(host, str(cpu), "10", block=block, rack=rack)


def placed(pods: int, level: str, **more: Any) -> dict[str, int] | str:
    topology = domains.build("tp", LEVELS, {}, [node(values, cpu) for values, cpu in CPUS.items()])
    options: dict[str, Any] = {"slice_level": 2, "slice_size": 1, "required": True, "least_free": False, **more}
    ask = Ask(
        pods=pods,
        requests={"cpu": 1000, "pods": 1},
        level=LEVELS.index(level),
        excluded=lambda leaf: "nodeSelector" if leaf.values[-1] == more.get("excluded") else "",
        **{name: value for name, value in options.items() if name != "excluded"},
    )
    found = place(topology, ask, {}, empty=False)
    if not isinstance(found, Placed):
        return found
    return {values[0]: count for values, count in found.workers.domains}


def test_the_smallest_domain_that_suffices() -> None:
    assert placed(1, "rack") == {"x1": 1}
    assert placed(2, "kubernetes.io/hostname") == {"x5": 2}
    assert placed(3, "block") == {"x1": 1, "x2": 1, "x3": 1}


def test_few_nodes_within_it() -> None:
    assert placed(5, "block") == {"x4": 3, "x5": 2}


def test_preferred_climbs_and_then_spreads() -> None:
    assert placed(4, "rack", required=False) == {"x4": 3, "x5": 1}
    assert placed(8, "rack", required=False) == {"x1": 1, "x2": 1, "x3": 1, "x4": 3, "x5": 2}


def test_unconstrained_fills_what_is_least_free() -> None:
    assert placed(2, "kubernetes.io/hostname", required=False, least_free=True) == {"x5": 2}
    assert placed(1, "kubernetes.io/hostname", required=False, least_free=True) == {"x1": 1}


def test_slices_stay_together() -> None:
    assert placed(4, "block", slice_size=2, slice_level=1) == {"x4": 2, "x5": 2}


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (placed(9, "block"), 'topology "tp" allows to fit only 5 out of 9 pod(s)'),
        (
            placed(4, "kubernetes.io/hostname", excluded="x4"),
            'topology "tp" allows to fit only 2 out of 4 pod(s). Total nodes: 5; excluded: nodeSelector: 1',
        ),
        (placed(8, "block", slice_size=4, slice_level=2), 'topology "tp" doesn\'t allow to fit any of 2 slice(s)'),
    ],
)
def test_why_not(found: dict[str, int] | str, message: str) -> None:
    assert found == message


def spread(cpus: dict[tuple[str, str, str], str], pods: int, **more: Any) -> dict[str, int] | str:
    """Where workers go, and the leader under the name ``leader``, in a topology of its own."""
    nodes = [node(values, cpu) for values, cpu in cpus.items()]
    options: dict[str, Any] = {"level": 0, "slice_level": 2, "slice_size": 1, "requests": {"cpu": 1000}, **more}
    ask = Ask(pods=pods, required=True, least_free=False, excluded=lambda leaf: "", **options)
    found = place(domains.build("tp", LEVELS, {}, nodes), ask, {}, empty=False)
    if not isinstance(found, Placed):
        return found
    leader = {"leader": found.leader.domains[0][0][0]} if found.leader else {}
    return {values[0]: count for values, count in found.workers.domains} | leader


def test_the_leader_goes_where_the_workers_lose_least() -> None:
    """On x1 it would take the place of a worker that no other node has."""
    cpus = {("b", "r", "x1"): "4", ("b", "r", "x2"): "3500m"}
    assert spread(cpus, 3, requests={"cpu": 2000}, leader={"cpu": 1500}) == {"x1": 2, "x2": 1, "leader": "x2"}


def test_slices_within_slices_fill_their_level_in_whole() -> None:
    """Racks of 8 in hosts of 4: three and five CPUs are one host's worth, and its fifth CPU stays idle."""
    cpus = {("b", "r1", "x1"): "5", ("b", "r1", "x2"): "3", ("b", "r2", "x3"): "5", ("b", "r2", "x4"): "4"}
    layers = {"slice_level": 1, "slice_size": 8, "inner": {2: 4}}
    assert spread(cpus, 8, **layers) == {"x3": 4, "x4": 4}
    assert spread(cpus, 16, **layers) == 'topology "tp" allows to fit only 1 out of 2 slice(s)'


def test_inner_slices_are_kept_over_a_level_between() -> None:
    cpus = {("b", "r1", "x1"): "3", ("b", "r1", "x2"): "2", ("b", "r2", "x3"): "2"}
    assert spread(cpus, 6, slice_level=0, slice_size=6, inner={2: 2}) == {"x1": 2, "x2": 2, "x3": 2}


def test_a_topology_without_nodes() -> None:
    assert spread({}, 1, level=1) == "no topology domains at level: rack"
