"""Numbers of system calls that differ between architectures; what the calls do is seen in the sandboxes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sidings.node.sandbox import syscalls

GENERIC = Path("/usr/include/asm-generic/unistd.h")
"""Of linux-libc-dev: the table of aarch64 and riscv64."""


def test_pivot_root_has_another_number_on_arm64() -> None:
    """Failure mode 10 of the prototype: 155 is pivot_root on x86-64 and getpgid on arm64."""
    assert (syscalls.PIVOT_ROOT["x86_64"], syscalls.PIVOT_ROOT["aarch64"]) == (155, 41)


@pytest.mark.skipif(not GENERIC.exists(), reason="needs the kernel's headers: apt-get install linux-libc-dev")
def test_the_generic_number_is_the_headers() -> None:
    found = re.search(r"#define __NR_pivot_root (\d+)", GENERIC.read_text())
    assert found is not None and int(found[1]) == syscalls.PIVOT_ROOT["aarch64"] == syscalls.PIVOT_ROOT["riscv64"]
