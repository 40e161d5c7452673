"""A folder served as S3 by a process of its own, as the engine starts it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(root: Path) -> Iterator[dict[str, str]]:
    """What a client needs in its environment, as long as the block lasts."""
    command = [sys.executable, "-m", "sidings.s3", str(root)]
    told = {"port": 0, "identifier": "key", "secret": "secret"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(told) + "\n")
        server.stdin.flush()
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        yield {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
        server.stdin.close()
        assert server.wait(60) == 0  # it ends with whoever started it
