"""Files over HTTP: tried again, whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidings.initializers import download
from sidings.initializers.errors import InitializerError
from tests.initializers.source import source


def test_a_busy_server_is_asked_again(tmp_path: Path) -> None:
    pauses: list[float] = []
    with source({"a": b"x"}, failures=2) as server:
        assert download.file(f"{server.url}/a", {}, tmp_path / "deep" / "a", pauses.append) == 1
    assert pauses == [1.0, 2.0]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a"]


def test_a_server_that_stays_busy_is_told() -> None:
    with source({}, failures=9) as server, pytest.raises(InitializerError, match="answered 503"):
        download.read(f"{server.url}/a", {}, lambda seconds: None)


def test_a_refusal_is_not_asked_again() -> None:
    with source({}) as server, pytest.raises(InitializerError, match="answered 404"):
        download.read(f"{server.url}/a", {}, lambda seconds: pytest.fail("asked again"))


def test_no_server_at_all() -> None:
    with pytest.raises(InitializerError) as raised:
        download.read("http://127.0.0.1:1/", {}, lambda seconds: None)
    assert raised.value.what == "cannot reach http://127.0.0.1:1/"
    assert "file://" in raised.value.remedy


def test_a_server_cannot_write_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(InitializerError, match="the server names the file"):
        download.inside(tmp_path, "../../etc/passwd")
