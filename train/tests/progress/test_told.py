"""Reports over real sockets: posted with the token of the moment, served as a page, and borne when nobody answers."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sidings_train.progress.report import Report
from sidings_train.progress.told import Page, StatusServer

REPORT = Report(1, 4, 0, 0.5, 100.0, "rows", 0.0, 0.0, remaining=3.0)


@contextmanager
def listening(answer: int) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """(its URL, what was posted: the authorization and the progress)."""
    posted: list[tuple[str, int]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            posted.append((self.headers["Authorization"], body["trainerStatus"]["progressPercentage"]))
            self.send_response(answer)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/status", posted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def environ(url: str, token: Path) -> dict[str, str]:
    return {"KUBEFLOW_TRAINER_SERVER_URL": url, "KUBEFLOW_TRAINER_SERVER_TOKEN": str(token)}


def test_the_newest_report_is_posted_before_the_end(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    with listening(200) as (url, posted):
        server = StatusServer.of(environ(url, token))
        assert server
        for step in range(1, 5):
            server.tell(replace(REPORT, step=step))
        server.close()
        assert posted[-1] == ("Bearer secret", 100)
        assert len(posted) <= 4


def test_without_a_server_there_is_none() -> None:
    assert StatusServer.of({}) is None


def test_a_refusal_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    with listening(403) as (url, posted):
        for tells in (1, 2):
            server = StatusServer.of(environ(url, token))
            assert server
            server.tell(REPORT)
            server.close()
            assert len(posted) == tells
    told = capsys.readouterr().err.splitlines()
    assert told == [f"progress cannot be reported to {url}: HTTP Error 403: Forbidden"] * 2


@pytest.mark.parametrize(
    ("url", "missing", "said"),
    [
        ("http://127.0.0.1:9/", "token", "No such file"),
        ("https://127.0.0.1:9/", "authority", "No such file"),
        ("engine:10443/status", "", "unknown url type"),
        ("http://127.0.0.1:9/", "", "refused"),
    ],
)
def test_what_is_missing_or_wrong_is_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], url: str, missing: str, said: str
) -> None:
    token = tmp_path / "token"
    if missing != "token":
        token.write_text("secret")
    server = StatusServer(url, token, tmp_path / "authority" if missing == "authority" else None)
    server.tell(REPORT)
    server.close()
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"progress cannot be reported to {url}: ") and said in line


def test_the_page_shows_the_newest_and_leaves_it_behind(tmp_path: Path) -> None:
    message = tmp_path / "termination-log"
    message.touch()
    page = Page(0)
    page.tell(REPORT)
    page.tell(replace(REPORT, step=2))
    with urllib.request.urlopen(f"http://127.0.0.1:{page.port}/metrics", timeout=60) as answer:
        assert json.load(answer) == replace(REPORT, step=2).progression()
    page.close(message)
    assert json.loads(message.read_text())["progressPercentage"] == 50
    assert not (tmp_path / "other").exists()
    other = Page(0)
    other.close(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_port_that_is_taken_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = tmp_path / "termination-log"
    message.touch()
    first = Page(0)
    second = Page(first.port)
    assert second.port == 0
    second.tell(REPORT)
    second.close(message)
    first.close(tmp_path / "none")
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"progress cannot be served at port {first.port}: ") and "in use" in line
    assert json.loads(message.read_text())["progressPercentage"] == 25
