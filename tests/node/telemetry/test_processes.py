import os
from pathlib import Path

import pytest

from sidings.node.telemetry import processes

TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


def add(proc: Path, pid: int, parent: int, ticks: tuple[int, int, int, int], pages: tuple[int, int]) -> None:
    folder = proc / str(pid)
    folder.mkdir()
    numbers = ["S", str(parent), *["0"] * 9, *map(str, ticks), "20", "0"]
    (folder / "stat").write_text(f"{pid} (a name) with ) in it) {' '.join(numbers)}\n")
    (folder / "statm").write_text(f"999 {pages[0]} {pages[1]} 0 0 0 0\n")


def test_a_tree_counts_its_processes_and_those_they_waited_for(tmp_path: Path) -> None:
    add(tmp_path, 1, 0, (1000, 1000, 0, 0), (50, 10))
    add(tmp_path, 10, 1, (TICKS, 0, 3 * TICKS, 0), (10, 4))
    add(tmp_path, 11, 10, (0, 2 * TICKS, 0, TICKS), (20, 5))
    (tmp_path / "self").mkdir()
    (tmp_path / "12").mkdir()  # has ended since the folder was listed
    found = processes.usage(processes.table(tmp_path), [10, 99], tmp_path)
    assert found == {10: processes.Usage(pytest.approx(7.0), (6 + 15) * PAGE)}


def test_this_process_uses_time_and_memory() -> None:
    first = processes.usage(processes.table(), [os.getpid()])[os.getpid()]
    sum(number * number for number in range(300_000))
    second = processes.usage(processes.table(), [os.getpid()])[os.getpid()]
    assert second.cpu_seconds > first.cpu_seconds > 0
    assert second.memory_bytes > 2**20
