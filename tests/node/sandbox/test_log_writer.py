from pathlib import Path

import pytest

from sidings.node.sandbox.log_writer import LONGEST_PIECE, LogWriter

NOON = 1_767_268_800_000_000_001
STAMP = "2026-01-01T12:00:00.000000001Z"


def _writer(path: Path, max_bytes: int = 10**6, max_files: int = 3) -> LogWriter:
    return LogWriter(str(path), max_bytes, max_files, now=lambda: NOON)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "0.log"


def test_lines_become_cri_lines(path: Path) -> None:
    writer = _writer(path)
    writer.write("stdout", b"one\ntw")
    writer.write("stderr", b"oops\n")
    writer.write("stdout", b"o\n\n")
    writer.close()
    assert path.read_text() == (
        f"{STAMP} stdout F one\n{STAMP} stderr F oops\n{STAMP} stdout F two\n{STAMP} stdout F \n"
    )


def test_what_has_no_end_at_the_end_is_partial(path: Path) -> None:
    writer = _writer(path)
    writer.write("stdout", b"no newline")
    assert path.read_text() == ""
    writer.close()
    assert path.read_text() == f"{STAMP} stdout P no newline\n"


def test_a_line_longer_than_the_limit_is_cut_into_pieces(path: Path) -> None:
    writer = _writer(path)
    writer.write("stdout", b"x" * (LONGEST_PIECE + 5))
    writer.write("stdout", b"y\n")
    writer.close()
    first, second = path.read_text().splitlines()
    assert first == f"{STAMP} stdout P " + "x" * LONGEST_PIECE
    assert second == f"{STAMP} stdout F xxxxxy"


def test_rotation_keeps_the_newest_files_and_loses_no_line_in_them(path: Path) -> None:
    writer = _writer(path, max_bytes=200, max_files=3)
    for number in range(30):
        writer.write("stdout", f"line {number}\n".encode())
    writer.close()
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["0.log", "0.log.1", "0.log.2"]
    assert all(file.stat().st_size <= 200 for file in files)
    text = "".join(file.read_text() for file in reversed(files))
    numbers = [int(line.split()[-1]) for line in text.splitlines()]
    assert numbers == list(range(numbers[0], 30))


def test_what_cannot_be_written_is_lost_and_counted_once_there_is_room(path: Path) -> None:
    writer = _writer(path, max_bytes=10, max_files=2)
    writer.write("stdout", b"first\n")
    in_the_way = path.with_name("0.log.1")
    (in_the_way / "x").mkdir(parents=True)
    writer.write("stdout", b"lost\n")
    (in_the_way / "x").rmdir()
    in_the_way.rmdir()
    writer.write("stdout", b"kept\n")
    writer.close()
    assert path.read_text().splitlines() == [
        f"{STAMP} stderr F [{len(STAMP) + 15} bytes of log lost: disk full]",
        f"{STAMP} stdout F kept",
    ]


def test_recent_output_is_bounded(path: Path) -> None:
    writer = _writer(path)
    writer.write("stdout", b"".join(b"%d\n" % number for number in range(2000)))
    assert writer.recent().splitlines()[-1] == "1999"
    assert len(writer.recent()) <= 2048
    assert len(writer.recent().splitlines()) <= 80
    writer.close()
