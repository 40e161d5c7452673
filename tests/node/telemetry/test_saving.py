from pathlib import Path

import pytest

from sidings.node.gpus.in_memory import h200
from sidings.node.gpus.source import Reading
from sidings.node.telemetry import report, saving
from sidings.node.telemetry.consumption import Consumption
from sidings.node.telemetry.records import Measurement, Records
from sidings.node.telemetry.workload import Workload

RANK = Workload("u", "fraud", "train-node-0-0-x", "node-1", "JobSet", "train", "node", "0")


def test_what_is_saved_is_what_was_known_of_the_past(tmp_path: Path) -> None:
    records = Records()
    for moment in (1.0, 3.0):
        reading = Reading(h200(0).uuid, utilization_percent=moment * 10)
        records.add(moment, RANK, Measurement(Consumption(moment, 2**20), ((h200(0), reading),)))
    saving.write(tmp_path / "file", saving.dump(records))
    again = saving.read(tmp_path / "file")
    records.rest([])
    assert report.jobs(again, course=True) == report.jobs(records, course=True)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"version": 0}', b'{"version": 1, "pods": [{}]}'])
def test_a_file_that_cannot_be_understood_is_no_history(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        saving.load(data)
    (tmp_path / "file").write_bytes(data)
    assert saving.read(tmp_path / "file") == []
    assert saving.read(tmp_path / "missing") == []
