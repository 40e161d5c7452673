"""The S3 servers that checkpoints are tested against: moto's, and the one of ``sidings up --s3``.

The Python that has moto is named by SIDINGS_MOTO_PYTHON; the other is there where the whole repository is installed.
What is not there is skipped. Moto asks for no credentials.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from two_ranks import free_port

SECRET = "geheim-as-can-be"
PATIENCE = 120.0  # seconds until a server answers, on a very busy machine


@dataclass(frozen=True)
class S3:
    """A server: its ``url``, and how a bucket comes and goes with all that is in it."""

    name: str
    url: str
    make: Callable[[str], None]
    vanish: Callable[[str], None]

    @property
    def environ(self) -> dict[str, str]:
        return {"AWS_ENDPOINT_URL": self.url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": SECRET}


@contextmanager
def moto(folder: Path) -> Iterator[S3]:
    python = os.environ.get("SIDINGS_MOTO_PYTHON")
    if not python:
        pytest.skip("SIDINGS_MOTO_PYTHON names no Python with moto[server]")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    log = (folder / "log").open("w")
    with log, subprocess.Popen([python, "-m", "moto.server", "-p", str(port)], stdout=log, stderr=log) as server:
        try:
            _ask(f"{url}/moto-api/reset", "POST")
            yield S3(
                "moto",
                url,
                lambda bucket: _ask(f"{url}/{bucket}", "PUT"),
                lambda bucket: _ask(f"{url}/moto-api/reset", "POST"),
            )
        finally:
            server.kill()


@contextmanager
def in_the_box(folder: Path) -> Iterator[S3]:
    if importlib.util.find_spec("sidings") is None:
        pytest.skip("sidings is not installed")
    command = [sys.executable, "-m", "sidings.s3", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        server.stdin.write(json.dumps({"port": 0, "identifier": "key", "secret": SECRET}) + "\n")
        server.stdin.flush()
        yield S3(
            "box",
            f"http://127.0.0.1:{int(server.stdout.readline())}",
            lambda bucket: (folder / bucket).mkdir(),
            lambda bucket: shutil.rmtree(folder / bucket),
        )
        server.stdin.close()


SERVERS = {"moto": moto, "box": in_the_box}


def _ask(url: str, method: str) -> None:
    """As soon as the server answers."""
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(urllib.request.Request(url, method=method)).close()
            return
        except (urllib.error.URLError, ConnectionError):
            assert time.monotonic() < ends, f"{url} does not answer"
            time.sleep(0.05)
