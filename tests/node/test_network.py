import pytest

from sidings.node.errors import AddressesExhausted
from sidings.node.network import AddressPool, node_address, pod_range


def test_addresses_come_from_the_range_of_the_node() -> None:
    pool = AddressPool()
    assert [pool.allocate("a", 1), pool.allocate("b", 1), pool.allocate("c", 2)] == [
        "10.244.1.2",
        "10.244.1.3",
        "10.244.2.2",
    ]
    assert (pod_range(3), node_address(3)) == ("10.244.3.0/24", "10.244.3.1")


def test_a_pod_keeps_its_address() -> None:
    pool = AddressPool()
    assert pool.allocate("a", 1) == pool.allocate("a", 1) == pool.address_of("a")


def test_an_address_just_given_back_is_not_the_next_one_taken() -> None:
    pool = AddressPool()
    first = pool.allocate("a", 1)
    pool.release("a")
    assert pool.address_of("a") is None
    assert pool.allocate("b", 1) != first


def test_addresses_of_adopted_pods_are_not_given_to_others() -> None:
    pool = AddressPool()
    pool.claim("old", "10.244.1.2")
    assert pool.allocate("new", 1) == "10.244.1.3"


def test_a_full_range_says_so_and_recovers() -> None:
    pool = AddressPool()
    for number in range(253):
        pool.allocate(str(number), 1)
    with pytest.raises(AddressesExhausted, match=r"10\.244\.1\.0/24"):
        pool.allocate("one more", 1)
    pool.release("7")
    assert pool.allocate("one more", 1) == "10.244.1.9"


def test_pods_in_the_nodes_network_share_its_address() -> None:
    pool = AddressPool()
    assert [pool.allocate(uid, 2, host_network=True) for uid in "ab"] == ["10.244.2.1"] * 2
    pool.release("a")
    assert (pool.address_of("a"), pool.address_of("b")) == (None, "10.244.2.1")
