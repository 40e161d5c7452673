"""Event files: to the byte as the format says, and read by TensorBoard itself where it is installed."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from sidings_train.errors import TrainError
from sidings_train.progress import event_file
from sidings_train.progress.event_file import EventFile
from sidings_train.progress.report import Report

REPORT = Report(10, 40, 0, 0.5, 100.0, "rows", 0.25, 0.0, steps=10)
TENSORBOARD = os.environ.get("SIDINGS_TENSORBOARD_PYTHON")


def file_in(folder: Path) -> Path:
    [file] = folder.iterdir()
    return file


def test_checksums() -> None:
    # RFC 3720, B.4: 32 bytes of zeroes, of ones, and ascending.
    for data, crc in ((bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E)):
        assert event_file.crc32c(data) == crc


def test_a_record_is_length_data_and_their_checksums() -> None:
    # The first record of every file that torch.utils.tensorboard writes, but for the time: 2.13, tensorboard 2.21.
    data = event_file.event(1.5, 0, b"\x1a\x0dbrain.Event:2")
    assert data == b"\x09" + struct.pack("<d", 1.5) + b"\x10\x00\x1a\x0dbrain.Event:2"
    written = event_file.record(data)
    assert struct.unpack_from("<Q", written) == (len(data),)
    assert written[12:-4] == data


def test_a_file_begins_with_its_version_and_the_step_it_goes_on_from(tmp_path: Path) -> None:
    file = EventFile(tmp_path / "new" / "run")
    file.tell(replace(REPORT, step=300, steps=5))
    file.close()
    path = file_in(tmp_path / "new" / "run")
    assert path.name.startswith("events.out.tfevents.")
    written = path.read_bytes()
    assert written.index(b"brain.Event:2") < written.index(b"\x10\xa8\x02\x3a\x02\x08\x01"), "step 296: it starts"
    assert written.index(b"\x10\xac\x02\x2a") < written.index(b"train/loss")


def test_what_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    file = EventFile(tmp_path / "file" / "run")
    for _ in range(2):
        file.tell(REPORT)
    file.close()
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("TensorBoard's files cannot be written: ") and line.endswith("training goes on")


def test_a_bucket_is_no_folder(tmp_path: Path) -> None:
    assert event_file.folder_of(tmp_path) == tmp_path
    with pytest.raises(TrainError, match=r"cannot go to s3://a/b[\s\S]*help: name a folder"):
        event_file.folder_of("s3://a/b")


@pytest.mark.skipif(not TENSORBOARD, reason="set SIDINGS_TENSORBOARD_PYTHON to a Python that has tensorboard")
def test_tensorboard_reads_the_curves_of_a_run_that_went_on(tmp_path: Path) -> None:
    first = EventFile(tmp_path)
    for step in (10, 20, 30):
        first.tell(replace(REPORT, step=step, loss=float(step)))
    first.tell(replace(REPORT, step=30, steps=0, evaluation={"auc": 0.75}, evaluated_at=30))
    first.close()  # killed at 35, and its newest checkpoint was of step 15
    again = EventFile(tmp_path)
    for step in (20, 25):
        again.tell(replace(REPORT, step=step, steps=5, loss=-float(step), checkpoint_age=1e39))
    again.close()
    assert TENSORBOARD
    reader = Path(__file__).with_name("tensorboard_reader.py")
    done = subprocess.run([TENSORBOARD, str(reader), str(tmp_path)], capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    assert seen["train/loss"] == [[10, 10.0], [20, -20.0], [25, -25.0]]
    assert seen["train/data_share"] == [[10, 0.25], [20, 0.25], [25, 0.25]]
    assert seen["train/checkpoint_age_seconds"] == [[20, math.inf], [25, math.inf]]
    assert not seen.get("eval/auc"), "it is of a step that is done again"
