from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sidings.api.pods import LogOptions
from sidings.clock import ManualClock
from sidings.node import logs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "0.log"


def _cri(second: int, text: str, tag: str = "F") -> str:
    return f"2026-01-01T12:00:{second:02d}.000000001Z stdout {tag} {text}\n"


async def _read(path: Path, ended: Callable[[], bool] = lambda: True, **options: object) -> bytes:
    wanted = LogOptions("c", **options)  # type: ignore[arg-type]
    return b"".join([chunk async for chunk in logs.read(logs.Reader(path), wanted, ManualClock(), ended)])


async def test_text_comes_without_the_cri_prefix(path: Path) -> None:
    path.write_text(_cri(1, "one") + _cri(2, "two two"))
    assert await _read(path) == b"one\ntwo two\n"


async def test_timestamps_are_put_before_each_line(path: Path) -> None:
    path.write_text(_cri(1, "one"))
    assert await _read(path, timestamps=True) == b"2026-01-01T12:00:01.000000001Z one\n"


async def test_pieces_of_a_line_are_put_together(path: Path) -> None:
    path.write_text(_cri(1, "ab", "P") + _cri(1, "cd") + _cri(2, "ef", "P"))
    assert await _read(path) == b"abcd\nef"


@pytest.mark.parametrize(("count", "expected"), [(0, b""), (1, b"xyz\n"), (2, b"two\nxyz\n"), (9, b"one\ntwo\nxyz\n")])
async def test_tail_counts_output_lines(path: Path, count: int, expected: bytes) -> None:
    path.write_text(_cri(1, "one") + _cri(2, "two") + _cri(3, "x", "P") + _cri(3, "yz"))
    assert await _read(path, tail_lines=count) == expected


async def test_since_drops_older_lines(path: Path) -> None:
    path.write_text(_cri(1, "one") + _cri(2, "two"))
    assert await _read(path, since=datetime(2026, 1, 1, 12, 0, 2, tzinfo=UTC)) == b"two\n"


async def test_limit_bytes_cuts(path: Path) -> None:
    path.write_text(_cri(1, "one") + _cri(2, "two"))
    assert await _read(path, limit_bytes=5) == b"one\nt"
    assert await _read(path, limit_bytes=5, follow=True) == b"one\nt"


async def test_rotated_files_come_first(path: Path) -> None:
    path.with_name("0.log.2").write_text(_cri(1, "one"))
    path.with_name("0.log.1").write_text(_cri(2, "two"))
    path.write_text(_cri(3, "three"))
    assert await _read(path) == b"one\ntwo\nthree\n"
    assert await _read(path, tail_lines=2) == b"two\nthree\n"


async def test_following_goes_on_over_a_rotation_until_the_end(path: Path) -> None:
    path.write_text(_cri(1, "one"))

    def rotate() -> None:
        path.rename(path.with_name("0.log.1"))
        path.write_text(_cri(3, "three"))

    deeds = iter(
        [
            lambda: path.write_text(_cri(1, "one") + _cri(2, "two")),
            rotate,
            lambda: path.write_text(_cri(3, "three") + _cri(4, "last words")),
        ]
    )

    def ended() -> bool:
        """The container's next deed; the last one comes with its end, and must still be read."""
        next(deeds)()
        return len(list(path.parent.iterdir())) == 2 and "last words" in path.read_text()

    assert await _read(path, ended, follow=True) == b"one\ntwo\nthree\nlast words\n"


async def test_following_with_a_tail_starts_there(path: Path) -> None:
    path.write_text(_cri(1, "one") + _cri(2, "two"))
    assert await _read(path, follow=True, tail_lines=1) == b"two\n"


async def test_a_line_that_is_half_written_waits_for_its_end(path: Path) -> None:
    whole = _cri(1, "one")
    path.write_text(whole[:-3])
    calls = iter([False, True])

    def ended() -> bool:
        path.write_text(whole)
        return next(calls)

    assert await _read(path, ended, follow=True) == b"one\n"


async def test_pieces_between_two_positions_over_a_rotation(path: Path) -> None:
    def said(start: logs.Position = logs.BEGINNING, end: logs.Position = logs.BEGINNING) -> list[tuple[str, bytes]]:
        return list(logs.pieces(path, start, end))

    path.write_text(_cri(1, "one") + _cri(1, "oops").replace("stdout", "stderr"))
    before = logs.Position(path.stat().st_ino, path.stat().st_size)
    with path.open("a") as file:
        file.write(_cri(2, "two"))
    path.rename(f"{path}.1")
    path.write_text(_cri(3, "three") + _cri(4, "cut off")[:-1])
    assert said() == [("stdout", b"one\n"), ("stderr", b"oops\n"), ("stdout", b"two\nthree\n")]
    assert said(end=before) == [("stdout", b"one\n"), ("stderr", b"oops\n")]
    assert said(start=before) == [("stdout", b"two\nthree\n")]
