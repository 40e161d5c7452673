"""Which node: the emptiest that will do, or the numbers why none does."""

import pytest

from sidings.controllers.scheduler.choice import choose
from sidings.controllers.scheduler.snapshot import take
from tests.controllers.pods import node, pod


def test_the_emptier_node_wins_and_ties_go_by_name() -> None:
    one_gpu = pod(requests={"nvidia.com/gpu": "1"})
    assert choose(one_gpu, take([node("b", gpu="2"), node("a", gpu="2")], [])).node == "a"
    busy = pod("busy", requests={"nvidia.com/gpu": "1"}, node="a")
    assert choose(one_gpu, take([node("a", gpu="2"), node("b", gpu="2")], [busy])).node == "b"


def test_too_many_gpus_say_the_numbers() -> None:
    choice = choose(pod(requests={"nvidia.com/gpu": "4"}), take([node("n-0", gpu="1"), node("n-1", gpu="2")], []))
    assert choice.node == ""
    assert choice.message == (
        "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. "
        "nvidia.com/gpu: the pod requests 4; n-1 2 free of 2, n-0 1 free of 1."
    )


def test_reasons_of_different_nodes_are_counted() -> None:
    nodes = [
        node("a", gpu="1", taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}]),
        node("b"),
        node("c"),
    ]
    nodes[2]["spec"]["unschedulable"] = True
    message = choose(pod(requests={"nvidia.com/gpu": "1"}), take(nodes, [])).message
    assert message.startswith(
        "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint {k: v}, "
        "1 node(s) were unschedulable."
    )


def test_no_nodes() -> None:
    assert choose(pod(), take([], [])).message == "no nodes available to schedule pods"


@pytest.mark.parametrize("count", [5, 9])
def test_many_nodes_are_not_all_named(count: int) -> None:
    message = choose(pod(requests={"cpu": "9"}), take([node(f"n{i}") for i in range(count)], [])).message
    assert f"and {count - 4} nodes with no more" in message
