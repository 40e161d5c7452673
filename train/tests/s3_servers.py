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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from two_ranks import free_port

SECRET = "geheim-as-can-be"
PATIENCE = 120.0  # seconds until a server answers, on a very busy machine


@dataclass(frozen=True)
class S3:
    """A server that is running; how a bucket comes, and how it goes with all that is in it. Ranks can be given it."""

    url: str

    @property
    def environ(self) -> dict[str, str]:
        return {"AWS_ENDPOINT_URL": self.url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": SECRET}

    def make(self, bucket: str) -> None:
        raise NotImplementedError

    def vanish(self, bucket: str) -> None:
        raise NotImplementedError


class Moto(S3):
    def make(self, bucket: str) -> None:
        _ask(f"{self.url}/{bucket}", "PUT")

    def vanish(self, bucket: str) -> None:
        _ask(f"{self.url}/moto-api/reset", "POST")


@dataclass(frozen=True)
class Box(S3):
    folder: Path

    def make(self, bucket: str) -> None:
        (self.folder / bucket).mkdir()

    def vanish(self, bucket: str) -> None:
        shutil.rmtree(self.folder / bucket)


@contextmanager
def moto(folder: Path) -> Iterator[S3]:
    python = os.environ.get("SIDINGS_MOTO_PYTHON")
    if not python:
        pytest.skip("SIDINGS_MOTO_PYTHON names no Python with moto[server]")
    with free_port() as port, (folder / "log").open("w") as log:
        command = [python, "-m", "moto.server", "-p", str(port)]
        with subprocess.Popen(command, stdout=log, stderr=log) as server:
            try:
                yield Moto(f"http://127.0.0.1:{port}")
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
        yield Box(f"http://127.0.0.1:{int(server.stdout.readline())}", folder)
        server.stdin.close()


SERVERS = {"moto": moto, "in_the_box": in_the_box}


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
