"""The library, compiled and preloaded into a real program: Python's sockets call the same functions as NCCL's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sidings.node import compiled as compiled_library
from sidings.node.gpus import sockets_library

compiled = pytest.mark.skipif(
    not any(map(shutil.which, sockets_library.COMPILERS)), reason="there is no C compiler on this machine"
)

TALK = """
import os, socket
folder = os.environ["SIDINGS_NCCL_SOCKETS"]
def address(name): return b"\\0" + name + b"\\0" * (107 - len(name))
def pair(): return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
ours, other, sender = pair(), pair(), pair()
ours.bind(address(b"tmp/nccl-socket-0-abc"))
other.bind(b"\\0tmp/else-%d" % os.getpid())
again = pair(); again.bind(address(b"tmp/nccl-socket-0-abc"))
sender.sendto(b"one", address(b"tmp/nccl-socket-0-abc"))
sender.sendmsg([b"two"], [], 0, address(b"tmp/nccl-socket-0-abc"))
sender.sendto(b"three", b"\\0tmp/else-%d" % os.getpid())
sender.connect(address(b"tmp/nccl-socket-0-abc")); sender.send(b"four")
print(again.recv(9), again.recv(9), again.recv(9), other.recv(9), sorted(os.listdir(folder)))
"""


@compiled
def test_only_sockets_of_nccl_become_files(tmp_path: Path) -> None:
    """Failure mode 8 of the prototype: the sockets that NCCL cannot do without (E, F, X)."""
    library = sockets_library.ensure(tmp_path / "libraries")
    assert library is not None
    (tmp_path / "shm").mkdir()
    environment = {**os.environ, "LD_PRELOAD": str(library), "SIDINGS_NCCL_SOCKETS": str(tmp_path / "shm")}
    done = subprocess.run([sys.executable, "-c", TALK], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "b'one' b'two' b'four' b'three' ['nccl-socket-0-abc']\n"


@compiled
def test_it_is_compiled_once_per_version(tmp_path: Path) -> None:
    first = sockets_library.ensure(tmp_path)
    assert first is not None
    assert first == compiled_library.file_in(tmp_path, sockets_library.SOURCE)
    before = first.stat().st_mtime_ns
    assert sockets_library.ensure(tmp_path) == first
    assert first.stat().st_mtime_ns == before
    assert list(tmp_path.iterdir()) == [first]
