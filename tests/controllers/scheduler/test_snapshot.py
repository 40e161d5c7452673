"""What a node has left: bound, unfinished pods hold their share."""

from decimal import Decimal

from sidings.controllers.scheduler.snapshot import take
from tests.controllers.pods import node, pod


def test_bound_pods_hold_their_share_until_they_end() -> None:
    pods = [
        pod("a", requests={"cpu": "500m"}, node="n"),
        pod("b", requests={"cpu": "1"}, node="n", phase="Running"),
        pod("c", requests={"cpu": "2"}, node="n", phase="Succeeded"),
        pod("d", requests={"cpu": "2"}),
    ]
    state = take([node("n", cpu="4")], pods).nodes["n"]
    assert state.free("cpu") == Decimal("2.5")
    assert state.free("pods") == 108


def test_ten_tenths_are_one_cpu() -> None:
    snapshot = take([node("n", cpu="1")], [pod(f"p{i}", requests={"cpu": "100m"}, node="n") for i in range(10)])
    assert snapshot.nodes["n"].free("cpu") == 0


def test_a_node_has_none_of_what_it_does_not_name() -> None:
    assert take([node("n")], []).nodes["n"].free("nvidia.com/gpu") == 0


def test_an_assumed_pod_counts_for_the_next() -> None:
    snapshot = take([node("n", gpu="2")], [])
    snapshot.assume(pod(requests={"nvidia.com/gpu": "2"}), "n")
    assert snapshot.nodes["n"].free("nvidia.com/gpu") == 0
