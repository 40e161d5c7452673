"""The default profile on a process of its own: which calls are refused, and how."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

TRY = """
import ctypes, sys
from sidings.node.sandbox import seccomp, syscalls
syscalls.forbid_new_privileges()
seccomp.install(int(sys.argv[1]))
libc = ctypes.CDLL(None, use_errno=True)
for number in sys.argv[2:]:
    ctypes.set_errno(0)
    libc.syscall(int(number), -1, -1, -1, -1, -1, -1)
    print(ctypes.get_errno())
"""
SYS_NICE = 1 << 23
EPERM, ENOSYS = 1, 38
CALLS = {
    "x86_64": {"unshare": 272, "keyctl": 250, "mbind": 237, "clone3": 435, "getpid": 39, "x32": 0x40000000 + 39},
    "aarch64": {"unshare": 97, "keyctl": 219, "mbind": 235, "clone3": 435, "getpid": 172, "x32": 0x40000000 + 172},
}

pytestmark = pytest.mark.skipif(
    platform.machine() not in CALLS, reason="the numbers of this architecture are not known"
)


def _errors(capabilities: int, *names: str) -> list[int]:
    numbers = [str(CALLS[platform.machine()][name]) for name in names]
    argv = (sys.executable, "-c", TRY, str(capabilities), *numbers)
    return [int(line) for line in subprocess.run(argv, capture_output=True, check=True, text=True).stdout.split()]


def test_what_a_container_has_no_business_with_is_refused_and_the_rest_is_not() -> None:
    assert _errors(0, "unshare", "keyctl", "x32", "getpid") == [EPERM, EPERM, EPERM, 0]


def test_clone3_looks_like_an_old_kernel() -> None:
    assert _errors(0, "clone3") == [ENOSYS]


def test_a_capability_brings_its_calls_along() -> None:
    assert _errors(0, "mbind") == [EPERM]
    assert _errors(SYS_NICE, "mbind") != [EPERM]
