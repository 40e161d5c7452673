import pytest

from sidings.node.errors import DevicesExhausted
from sidings.node.gpus.in_memory import h200
from sidings.node.gpus.sharing import share
from sidings.node.gpus.source import units

THREE = units([h200(index) for index in range(3)])


@pytest.mark.parametrize(
    ("nodes", "per_node", "expected"),
    [
        (1, None, [[0, 1, 2]]),
        (2, None, [[0, 1], [2]]),
        (4, None, [[0], [1], [2], []]),
        (0, None, []),
        (2, 1, [[0], [1]]),
        (2, 0, [[], []]),
    ],
)
def test_nodes_get_runs_of_the_drivers_order(nodes: int, per_node: int | None, expected: list[list[int]]) -> None:
    assert [[unit.device.index for unit in part] for part in share(THREE, nodes, per_node)] == expected


def test_more_than_there_is_is_refused_with_the_numbers() -> None:
    with pytest.raises(DevicesExhausted) as caught:
        share(THREE, 2, 2)
    assert caught.value.cause == "this machine has 3"
    assert "--simulate-gpus" in caught.value.remedy
