from dataclasses import replace

import pytest

from sidings.node.gpus.in_memory import GIB, h200, h200_in_mig_mode
from sidings.node.gpus.labels import family, labels
from sidings.node.gpus.source import Driver, MigDevice, units

DRIVER = Driver("580.95.05", "13.0")


def test_an_h200_is_labelled_as_gpu_feature_discovery_does() -> None:
    found = labels(units([h200(0), h200(1)]), DRIVER)
    assert found["feature.node.kubernetes.io/pci-10de.present"] == "true"
    expected = {
        "gpu.present": "true", "gpu.count": "2", "gpu.product": "NVIDIA-H200", "gpu.memory": "143771",
        "gpu.family": "hopper", "gpu.compute.major": "9", "gpu.compute.minor": "0", "gpu.sharing-strategy": "none",
        "mig.capable": "true", "mig.strategy": "none", "cuda.driver-version.major": "580",
        "cuda.driver-version.revision": "05", "cuda.driver-version.full": "580.95.05",
        "cuda.runtime-version.major": "13", "cuda.runtime-version.full": "13.0",
    }  # fmt: skip
    assert expected.items() <= {key.removeprefix("nvidia.com/"): value for key, value in found.items()}.items()


def test_mig_devices_are_products_of_their_own() -> None:
    parent = replace(h200(0), mig_mode=True, mig=(MigDevice("MIG-a", "1g.18gb", 16 * GIB),))
    found = labels(units([parent]), Driver())
    assert found["nvidia.com/gpu.product"] == "NVIDIA-H200-MIG-1g.18gb"
    assert found["nvidia.com/gpu.memory"] == "16384"
    assert found["nvidia.com/mig.strategy"] == "single"
    assert not any("version" in key for key in found)


def test_sizes_of_mig_devices_are_labelled_each_by_itself() -> None:
    found = labels(units([h200_in_mig_mode(0, "1g.18gb", "1g.18gb", "1c.3g.71gb+me"), h200(1)]), DRIVER)
    assert found["nvidia.com/mig.strategy"] == "mixed"
    assert (found["nvidia.com/gpu.product"], found["nvidia.com/gpu.count"]) == ("NVIDIA-H200", "2")
    small = {name.removeprefix("nvidia.com/mig-1g.18gb."): text for name, text in found.items() if "mig-1g" in name}
    assert small == {
        "product": "NVIDIA-H200-MIG-1g.18gb", "count": "2", "memory": "18432", "slices.gi": "1", "slices.ci": "1",
        "replicas": "1", "sharing-strategy": "none",
    }  # fmt: skip
    shared = "nvidia.com/mig-1c.3g.71gb.me"
    assert (found[f"{shared}.slices.gi"], found[f"{shared}.slices.ci"]) == ("3", "1")


def test_a_node_without_gpus_has_none_of_them() -> None:
    assert labels((), DRIVER) == {}


@pytest.mark.parametrize(
    ("capability", "name"),
    [((7, 0), "volta"), ((7, 5), "turing"), ((8, 6), "ampere"), ((8, 9), "ada-lovelace"), ((10, 3), "blackwell")],
)
def test_families(capability: tuple[int, int], name: str) -> None:
    assert family(*capability) == name
    assert family(99, 0) == "undefined"
