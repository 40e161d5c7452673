from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sidings.node.sandbox import process_count

THREADS = 300
FAMILY = f"""
import os, sys, threading
os.fork()
wait = threading.Event()
for _ in range({THREADS}):
    threading.Thread(target=wait.wait, daemon=True).start()
print("up", flush=True)
sys.stdin.read()
"""
CAPPED = """
import resource
from sidings.node.sandbox import process_count
process_count.cap()
print(*resource.getrlimit(resource.RLIMIT_NPROC))
"""


@pytest.fixture
def family() -> Iterator[int]:
    """A process with a child, and many threads in both."""
    process = subprocess.Popen([sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(2):
        process.stdout.readline()
    yield process.pid
    process.communicate()


def test_threads_of_all_processes_count(family: int) -> None:
    assert process_count.exceeds(os.getpid(), 2 * THREADS)
    assert not process_count.exceeds(os.getpid(), 2 * THREADS + 200), "the tests have some processes of their own"


def test_the_cap_leaves_the_machine_a_half() -> None:
    shown = subprocess.run([sys.executable, "-c", CAPPED], capture_output=True, text=True, check=True).stdout
    soft, hard = map(int, shown.split())
    mine = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    allowed = process_count.ceiling()
    assert soft == hard == (allowed if mine == resource.RLIM_INFINITY else min(allowed, mine))
