from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sidings.node.sandbox import memory_use

MEBIBYTE = 2**20
FAMILY = """
import os, sys
hold = bytearray(b"x") * (100 << 20)
for _ in range(int(sys.argv[1])):
    os.fork()
print("up", flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=[0, 3])
def family(request: pytest.FixtureRequest) -> Iterator[None]:
    """A child with 100 MiB, alone or with seven forks that share them."""
    process = subprocess.Popen(
        [sys.executable, "-c", FAMILY, str(request.param)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    for _ in range(2**request.param):
        process.stdout.readline()
    yield
    process.communicate()


@pytest.mark.usefixtures("family")
def test_pages_count_once_however_many_share_them() -> None:
    assert memory_use.exceeds(os.getpid(), 90 * MEBIBYTE)
    assert not memory_use.exceeds(os.getpid(), 250 * MEBIBYTE)
