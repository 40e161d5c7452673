from dataclasses import replace

from sidings.node.gpus.in_memory import GIB, h200
from sidings.node.gpus.source import Fault, MigDevice, units


def test_units_are_gpus_or_the_mig_devices_of_those_in_mig_mode() -> None:
    slices = (MigDevice("MIG-a", "1g.18gb", 18 * GIB), MigDevice("MIG-b", "1g.18gb", 18 * GIB))
    found = units([h200(0), replace(h200(1), mig_mode=True, mig=slices), replace(h200(2), mig_mode=True)])
    assert [unit.uuid for unit in found] == [h200(0).uuid, "MIG-a", "MIG-b"]
    assert [unit.mig for unit in found] == [None, *slices]


def test_a_fault_says_what_it_is() -> None:
    assert Fault("GPU-1", 79).text == "XID 79"
    assert Fault("GPU-1", 0).text == "lost"
