"""A user namespace of a process of its own: who the caller is in it, and that giving up root first is no obstacle."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import sidings
from tests.node.sandboxes import NOBODY, interpreter_for_all

ENTER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from sidings.node.sandbox import user_namespace
if os.geteuid() == 0:
    os.setgroups([]); os.setresgid({user}, {user}, {user}); os.setresuid({user}, {user}, {user})
user_namespace.enter(user=1000, group=2000)
print(os.getuid(), os.getgid(), user_namespace.knows(1000, 2000), user_namespace.knows(0, 0))
"""
"""Sidings is imported before root is given up: it may lie where only root reads."""


def test_who_was_root_and_is_no_longer_can_enter() -> None:
    """Failure mode 5 of the prototype: after setuid() a process is not dumpable and /proc/self/setgroups is root's."""
    program = interpreter_for_all()
    if program is None:
        pytest.skip("this interpreter lies in a home that others cannot enter")
    done = subprocess.run(
        [program, "-c", ENTER.format(user=NOBODY), str(Path(sidings.__file__).parents[1])],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if "PermissionError" in done.stderr and "unshare" in done.stderr:
        pytest.skip("this machine forbids user namespaces")
    assert (done.stdout, done.stderr) == ("1000 2000 True False\n", "")
