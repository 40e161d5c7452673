"""Runs a command under the rules of Docker's default confinement that matter to sandboxes: the system calls that its
seccomp profile refuses without CAP_SYS_ADMIN, and its set of capabilities. A model of Docker, for machines without it.

    python docker_rules.py COMMAND ...

Source: moby, profiles/seccomp/default.json (v28): refused calls get EPERM, clone3 ENOSYS so that C libraries take
clone, whose flags a filter can see.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

from sidings.node.sandbox import syscalls
from sidings.node.sandbox.credentials import DEFAULT_CAPABILITIES

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""(AUDIT_ARCH_*, column of the numbers below)"""
_REFUSED = {
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "sethostname": (170, 161), "setdomainname": (171, 162), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "bpf": (321, 280), "perf_event_open": (298, 241), "syslog": (103, 116),
}  # fmt: skip
_CLONE, _CLONE3 = (56, 220), 435
_NEW_NAMESPACES = 0x7E02_0000
"""All CLONE_NEW* flags but CLONE_NEWTIME, which clone cannot take."""

_LOAD, _JUMP_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF_0000, 0x0005_0000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Offsets in ``struct seccomp_data``."""
_PR_SET_SECCOMP, _FILTER = 22, 2


def program() -> bytes:
    """The filter, for this machine's architecture."""
    architecture, column = _ARCHITECTURES[platform.machine()]
    refuse, unknown, allow = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS, _ALLOW
    lines: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, refuse),
        (_LOAD, 0, 0, _NUMBER),
    ]
    for number in sorted(numbers[column] for numbers in _REFUSED.values()):
        lines += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, refuse)]
    lines += [
        (_JUMP_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, unknown),
        (_JUMP_EQUAL, 0, 3, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_SET, 0, 1, _NEW_NAMESPACES),
        (_RETURN, 0, 0, refuse),
        (_RETURN, 0, 0, allow),
    ]
    return b"".join(struct.pack("=HBBI", code, true, false, value) for code, true, false, value in lines)


def confine() -> None:
    """Put this process, and all that it starts, under the rules."""
    syscalls.keep_capabilities(DEFAULT_CAPABILITIES & syscalls.capabilities())
    syscalls.forbid_new_privileges()
    filter_ = ctypes.create_string_buffer(program())
    pointer = struct.pack("=H6xQ", len(program()) // 8, ctypes.addressof(filter_))
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_FILTER), pointer, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


if __name__ == "__main__":
    confine()
    os.execvp(sys.argv[1], sys.argv[1:])
