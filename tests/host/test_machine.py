from pathlib import Path

import pytest

from sidings.api import quantity
from sidings.host import machine


def test_a_node_is_as_large_as_the_machine() -> None:
    assert quantity.parse(machine.cpu()) >= 1
    assert quantity.parse(machine.memory()) > 2**20


def test_memory_is_a_quantity(tmp_path: Path) -> None:
    file = tmp_path / "meminfo"
    file.write_text("MemFree: 1 kB\nMemTotal:        8041236 kB\n")
    assert machine.memory(file) == "7852Mi"


def test_a_table_without_a_total_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "meminfo"
    file.write_text("")
    with pytest.raises(ValueError, match="no MemTotal"):
        machine.memory(file)
