"""The rules, on a real kernel, in a child that they bind for good."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sidings.node.sandbox.host import landlock

pytestmark = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")


def refused(work: Callable[[], object]) -> bool:
    try:
        work()
    except PermissionError:
        return True
    return False


def in_child(work: Callable[[], bool]) -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_what_is_not_allowed_is_refused(tmp_path: Path) -> None:
    for name in ("readable", "writable", "closed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)

    def work() -> bool:
        landlock.restrict([f"{tmp_path}/readable", f"{tmp_path}/absent"], [f"{tmp_path}/writable"])
        assert (tmp_path / "readable/file").read_text() == "readable"
        (tmp_path / "writable/new").write_text("x")
        (tmp_path / "writable/new").rename(tmp_path / "writable/newer")
        return all(
            map(
                refused,
                (
                    lambda: (tmp_path / "readable/file").write_text("x"),
                    lambda: (tmp_path / "readable/new").write_text("x"),
                    lambda: (tmp_path / "closed/file").read_text(),
                    lambda: list((tmp_path / "closed").iterdir()),
                    lambda: (tmp_path / "closed/new").mkdir(),
                ),
            )
        )

    assert in_child(work)


def test_one_file_can_be_allowed_alone(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    (tmp_path / "two").write_text("2")

    def work() -> bool:
        landlock.restrict([], [f"{tmp_path}/one"])
        (tmp_path / "one").write_text("x")
        return refused((tmp_path / "two").read_text)

    assert in_child(work)


@pytest.mark.skipif(landlock.version() < 6, reason="signals are kept inside since Linux 6.12")
def test_others_are_not_signalled(tmp_path: Path) -> None:
    parent = os.getpid()

    def work() -> bool:
        landlock.restrict([], [str(tmp_path)])
        return refused(lambda: os.kill(parent, 0))

    assert in_child(work)
