import shutil
from pathlib import Path

from sidings.node import machine
from sidings.node.limits.enforcement import Enforcement


def test_promises_of_all_nodes_count_together() -> None:
    report = machine.report("T", "m", ["500m", "500m"], ["1Mi", "1Mi"], Enforcement(), Path("/"))
    assert (report.promised_cores, report.promised_bytes) == (1, 2 * 2**20)
    assert not report.overcommitted


def test_more_than_the_machine_has_is_said() -> None:
    report = machine.report("T", "m", ["100000"], ["1Mi"], Enforcement(), Path("/"))
    assert report.overcommitted
    assert report.promise.startswith(f"The nodes advertise 100000 cpu and 0.0Gi; this machine has {report.cores} cpu")


def test_the_disk_is_the_one_that_pods_write_on(tmp_path: Path) -> None:
    report = machine.report("T", "m", [], [], Enforcement(), tmp_path)
    assert report.disk_bytes >= shutil.disk_usage(tmp_path).free > 0
