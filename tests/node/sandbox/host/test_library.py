from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sidings.node import compiled
from sidings.node.sandbox.host import library

with_compiler = pytest.mark.skipif(
    not any(map(shutil.which, compiled.COMPILERS)), reason="there is no C compiler on this machine"
)


@with_compiler
def test_it_is_compiled_tried_and_kept(tmp_path: Path) -> None:
    path, missing = library.ensure(tmp_path)
    assert missing == "" and Path(path) == compiled.file_in(tmp_path, library.SOURCE)
    assert library.ensure(tmp_path) == (path, "")


@with_compiler
def test_one_that_programs_do_not_take_is_not_used(tmp_path: Path) -> None:
    compiled.file_in(tmp_path, library.SOURCE).write_bytes(b"of another machine")
    path, missing = library.ensure(tmp_path)
    assert path == "" and missing.endswith("does not take a preloaded library")


def test_a_machine_without_a_compiler_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert library.ensure(tmp_path) == ("", "no C compiler (cc, gcc, clang)")
