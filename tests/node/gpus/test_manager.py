from dataclasses import replace
from pathlib import Path

import pytest

from sidings.node.errors import DevicesExhausted
from sidings.node.gpus.in_memory import InMemoryGpus, h200, h200_in_mig_mode
from sidings.node.gpus.manager import GpuManager, Holder, device_files, visible_devices
from sidings.node.gpus.source import Fault, MigDevice, Unit, units

TWO = units([h200(0), h200(1)])
OTHER = units([h200(2)])


def managed(pods: Path, source: InMemoryGpus | None = None) -> GpuManager:
    return GpuManager(source or InMemoryGpus(), {"node-1": TWO, "node-2": OTHER}, pods)


def test_pods_get_distinct_gpus_of_their_node_and_give_them_back(tmp_path: Path) -> None:
    gpus = managed(tmp_path)
    assert gpus.claim("node-1", "a", "main", 1) == [TWO[0]]
    assert gpus.claim("node-1", "b", "main", 1) == [TWO[1]]
    assert gpus.claim("node-2", "c", "main", 1) == [OTHER[0]]
    with pytest.raises(DevicesExhausted, match="Requested: 1, Available: 0"):
        gpus.claim("node-1", "d", "main", 1)
    gpus.release("a")
    assert gpus.claim("node-1", "d", "main", 1) == [TWO[0]]
    assert gpus.holders()[TWO[0].uuid] == Holder("d", "main")


def test_a_restarted_container_and_a_restarted_engine_find_their_gpus_again(tmp_path: Path) -> None:
    first = managed(tmp_path)
    first.claim("node-1", "a", "main", 1)
    mine = first.claim("node-1", "b", "main", 1)
    first.release("a")
    second = managed(tmp_path)
    second.adopt()
    assert second.claim("node-1", "b", "main", 1) == mine == first.claim("node-1", "b", "main", 1)
    assert set(second.holders().values()) == {Holder("b", "main")}


def test_containers_of_a_pod_have_their_own_but_may_take_over_those_of_init_containers(tmp_path: Path) -> None:
    gpus = managed(tmp_path)
    assert gpus.claim("node-1", "a", "prepare", 2) == list(TWO)
    assert gpus.claim("node-1", "a", "one", 1, reusable=["prepare"]) == [TWO[0]]
    assert gpus.claim("node-1", "a", "two", 1, reusable=["prepare"]) == [TWO[1]]
    with pytest.raises(DevicesExhausted):
        gpus.claim("node-1", "a", "three", 1, reusable=["prepare"])


def test_a_faulty_gpu_is_withdrawn_and_its_holder_moved_at_the_next_start(tmp_path: Path) -> None:
    source = InMemoryGpus([h200(0), h200(1)])
    gpus = managed(tmp_path, source)
    assert gpus.claim("node-1", "a", "main", 1) == [TWO[0]]
    source.fail(Fault(TWO[0].uuid, 79))
    assert gpus.check() == [TWO[0]]
    source.fail(Fault(TWO[0].uuid, 79))
    assert gpus.check() == []
    assert gpus.withdrawn("node-1") == {TWO[0].uuid: "XID 79"}
    assert gpus.withdrawn("node-2") == {}
    assert gpus.claim("node-1", "a", "main", 1) == [TWO[1]]


def test_a_fault_of_a_gpu_withdraws_its_mig_devices(tmp_path: Path) -> None:
    parent = replace(h200(0), mig_mode=True, mig=(MigDevice("MIG-a", "1g.18gb", 1), MigDevice("MIG-b", "1g.18gb", 1)))
    source = InMemoryGpus([parent])
    gpus = GpuManager(source, {"node-1": units([parent])}, tmp_path)
    source.fail(Fault(parent.uuid, 0))
    assert [unit.uuid for unit in gpus.check()] == ["MIG-a", "MIG-b"]


def test_mig_devices_of_several_sizes_are_asked_for_by_size(tmp_path: Path) -> None:
    devices = units([h200_in_mig_mode(0, "3g.71gb", "1g.18gb", "1g.18gb"), h200(1)])
    gpus = GpuManager(InMemoryGpus(), {"node-1": devices}, tmp_path)
    small, large = "nvidia.com/mig-1g.18gb", "nvidia.com/mig-3g.71gb"
    [first] = gpus.claim("node-1", "a", "main", 1, resource=small)
    [second] = gpus.claim("node-1", "a", "main", 1, resource=large)
    assert (first, second) == (devices[1], devices[0])
    assert gpus.claim("node-1", "a", "main", 1, resource=small) == [first], "both are kept over a restart"
    assert gpus.claim("node-1", "b", "main", 1) == [devices[3]]
    assert gpus.claim("node-1", "b", "other", 1, resource=small) == [devices[2]]
    with pytest.raises(DevicesExhausted, match=r"unavailable for nvidia.com/mig-1g.18gb. Requested: 1, Available: 0"):
        gpus.claim("node-1", "c", "main", 1, resource=small)
    gpus.release("a")
    assert gpus.claim("node-1", "c", "main", 1, resource=small) == [first]


def test_a_container_sees_its_gpus_by_uuid_and_without_any_none() -> None:
    both = f"{TWO[0].uuid},{TWO[1].uuid}"
    assert visible_devices(TWO) == {"CUDA_VISIBLE_DEVICES": both, "NVIDIA_VISIBLE_DEVICES": both}
    assert visible_devices(()) == {"CUDA_VISIBLE_DEVICES": "", "NVIDIA_VISIBLE_DEVICES": "void"}


def test_a_container_has_the_files_of_its_gpus_alone(tmp_path: Path) -> None:
    for name in ("nvidia0", "nvidia1", "nvidia2", "nvidiactl", "nvidia-uvm", "null"):
        (tmp_path / name).touch()
    same = Unit("MIG-a", TWO[0].device, MigDevice("MIG-a", "1g.18gb", 1))
    assert device_files([TWO[1], TWO[0], same], tmp_path) == ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm")
    assert device_files((), tmp_path) == ()
    assert device_files((), tmp_path, linked=True) == ()


def test_a_linked_container_has_the_files_of_the_gpus_it_may_map(tmp_path: Path) -> None:
    for name in ("nvidia0", "nvidia1", "nvidiactl"):
        (tmp_path / name).touch()
    assert device_files([TWO[1]], tmp_path) == ("nvidia1", "nvidiactl")
    assert device_files([TWO[1]], tmp_path, linked=True) == ("nvidia0", "nvidia1", "nvidiactl")
