from sidings.node.gpus.in_memory import InMemoryGpus, h200
from sidings.node.gpus.source import Fault, Reading


def test_it_reads_what_it_was_told_and_reports_a_fault_once() -> None:
    gpus = InMemoryGpus([h200(0), h200(1)])
    gpus.show(Reading(h200(1).uuid, utilization_percent=50))
    assert [reading.utilization_percent for reading in gpus.readings()] == [None, 50]
    gpus.fail(Fault(h200(0).uuid, 79))
    assert [fault.xid for fault in gpus.faults()] == [79]
    assert gpus.faults() == []
    assert InMemoryGpus().devices() == ()
