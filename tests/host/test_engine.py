import socket
from collections.abc import Iterator

import pytest

from sidings.host.engine import listen, logical_nodes
from sidings.host.errors import PortTaken
from sidings.host.options import EngineOptions
from sidings.node.errors import DevicesExhausted
from sidings.node.gpus.in_memory import InMemoryGpus, h200


@pytest.fixture
def taken() -> Iterator[socket.socket]:
    holder = socket.create_server(("127.0.0.1", 0))
    yield holder
    holder.close()


def test_a_port_that_is_asked_for_must_be_free(taken: socket.socket) -> None:
    port = taken.getsockname()[1]
    with pytest.raises(PortTaken) as caught:
        listen(port)
    assert caught.value.what == f"cannot listen on port {port}"
    assert str(port) in caught.value.remedy


def test_the_last_port_is_taken_again_where_it_is_free(taken: socket.socket) -> None:
    with socket.create_server(("127.0.0.1", 0)) as former:
        free = former.getsockname()[1]
    with listen(0, free) as again:
        assert again.getsockname() == ("127.0.0.1", free)
    with listen(0, taken.getsockname()[1]) as other:
        assert other.getsockname()[1] != taken.getsockname()[1]


def test_nodes_are_slices_of_the_size_asked_for() -> None:
    nodes = logical_nodes(
        EngineOptions(nodes=2, cpu="8", memory="64Gi", gpus_per_node=1, simulate_gpus=True), InMemoryGpus()
    )
    assert [(node.name, node.cpu, node.memory, node.gpus, node.simulate_gpus) for node in nodes] == [
        ("node-1", "8", "64Gi", 1, True),
        ("node-2", "8", "64Gi", 1, True),
    ]
    assert logical_nodes(EngineOptions(nodes=0), InMemoryGpus()) == []


def test_real_gpus_are_shared_by_the_nodes_unless_told_otherwise() -> None:
    gpus = InMemoryGpus([h200(index) for index in range(3)])
    both = logical_nodes(EngineOptions(nodes=2, cpu="8", memory="64Gi"), gpus)
    assert [(node.gpus, [unit.device.index for unit in node.units]) for node in both] == [(2, [0, 1]), (1, [2])]
    assert both[1].labels["nvidia.com/gpu.product"] == "NVIDIA-H200"
    none = logical_nodes(EngineOptions(nodes=2, cpu="8", memory="64Gi", gpus_per_node=0), gpus)
    assert [(node.gpus, node.labels) for node in none] == [(0, {}), (0, {})]
    with pytest.raises(DevicesExhausted, match=r"2 node\(s\) with 2 GPU\(s\) each"):
        logical_nodes(EngineOptions(nodes=2, gpus_per_node=2), gpus)
