"""A group that was handed over, by files that look like one; the kernel's part is in docs/performance.md."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sidings.node.limits import delegation


def test_only_what_systemd_has_marked_is_handed_over(tmp_path: Path) -> None:
    assert not delegation.is_delegated(tmp_path)
    try:
        os.setxattr(tmp_path, delegation.MARK, b"1")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    assert delegation.is_delegated(tmp_path)
    os.setxattr(tmp_path, delegation.MARK, b"0")
    assert not delegation.is_delegated(tmp_path)


def test_who_is_in_it_moves_below(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").write_text("12\n")
    delegation.make_room(tmp_path)
    assert (tmp_path / delegation.ENGINE / "cgroup.procs").read_text() == "12"


def test_an_engine_that_has_moved_knows_its_group_again(tmp_path: Path) -> None:
    assert delegation.handed_over(tmp_path / delegation.ENGINE) == tmp_path
    assert delegation.handed_over(tmp_path) == tmp_path
