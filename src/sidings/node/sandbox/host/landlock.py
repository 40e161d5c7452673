"""Landlock: what a process, and all that it starts, may open from now on. Needs no rights and no namespaces.

Rules add up: what is not allowed below some path is refused. A process under rules can neither trace nor read the
memory and environment of others outside of them, and since Linux 6.12 not signal them either.

Numbers: ``include/uapi/linux/landlock.h`` of Linux 6.12.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from sidings.node.sandbox import syscalls

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_ALL_OF_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}
_SCOPE_SIGNAL = 1 << 1


def version() -> int:
    """The version of the interface that this kernel has; 0 for none."""
    with contextlib.suppress(OSError):
        return syscalls.call(_CREATE, 0, 0, _VERSION, what="landlock_create_ruleset")
    return 0


def restrict(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Allow this process to read and execute below ``readable`` and to do everything below ``writable``, no more.

    Paths that are not there are left out. For good: nobody gets rid of it. Raises ``OSError``.
    """
    found = version()
    handled = _ALL_OF_VERSION[min(found, max(_ALL_OF_VERSION))]
    # Version 4 added networks and 6 scopes, each a further field.
    scope = _SCOPE_SIGNAL if found >= 6 else 0
    fields = (handled, 0, scope)[: 3 if found >= 6 else 2 if found >= 4 else 1]
    attributes = ctypes.create_string_buffer(struct.pack(f"={len(fields)}Q", *fields), 8 * len(fields))
    rules = syscalls.call(_CREATE, attributes, 8 * len(fields), 0, what="landlock_create_ruleset")
    try:
        for path in readable:
            _allow(rules, path, _READ)
        for path in writable:
            _allow(rules, path, handled)
        syscalls.forbid_new_privileges()
        syscalls.call(_RESTRICT, rules, 0, what="landlock_restrict_self")
    finally:
        os.close(rules)


def _allow(rules: int, path: str, access: int) -> None:
    try:
        place = os.open(path, syscalls.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            access &= _OF_FILES
        rule = ctypes.create_string_buffer(struct.pack("=Qi", access, place), 12)
        syscalls.call(_ADD, rules, _PATH_BENEATH, rule, 0, what=f"landlock_add_rule {path}")
    finally:
        os.close(place)
