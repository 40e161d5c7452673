"""``seccompProfile: RuntimeDefault``: the system calls that a container has no business with, refused by the kernel.

The calls that the default profile of container engines does not allow (moby, profiles/seccomp/default.json v28; CRI-O's
and containerd's are the same list), written as what is refused and not as what is allowed: a program for a kernel newer
than the list works as it would without the profile. ``clone3`` says ENOSYS, so that C libraries take ``clone``, whose
flags a filter can see. Calls of another architecture (32 bit, x32) are refused altogether.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable

from sidings.node.sandbox import syscalls

_SYS_PTRACE, _SYS_NICE = 1 << 19, 1 << 23

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1), "riscv64": (0xC00000F3, 1)}
"""(AUDIT_ARCH_*, column of the numbers below)"""
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "_sysctl": (156, None), "acct": (163, 89), "add_key": (248, 217), "bpf": (321, 280), "clock_adjtime": (305, 266),
    "clock_settime": (227, 112), "create_module": (174, None), "delete_module": (176, 106), "finit_module": (313, 273),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430), "fspick": (433, 433),
    "get_kernel_syms": (177, None), "init_module": (175, 105), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "io_uring_setup": (425, 425), "ioperm": (173, None), "iopl": (172, None),
    "kexec_file_load": (320, 294), "kexec_load": (246, 104), "keyctl": (250, 219), "lookup_dcookie": (212, 18),
    "mount": (165, 40), "mount_setattr": (442, 442), "move_mount": (429, 429), "move_pages": (279, 239),
    "nfsservctl": (180, 42), "open_by_handle_at": (304, 265), "open_tree": (428, 428), "perf_event_open": (298, 241),
    "pivot_root": (155, 41), "query_module": (178, None), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "reboot": (169, 142), "request_key": (249, 218), "setdomainname": (171, 162), "sethostname": (170, 161),
    "setns": (308, 268), "settimeofday": (164, 170), "swapoff": (168, 225), "swapon": (167, 224), "sysfs": (139, None),
    "syslog": (103, 116), "umount2": (166, 39), "unshare": (272, 97), "uselib": (134, None),
    "userfaultfd": (323, 282), "ustat": (136, None), "vhangup": (153, 58),
}  # fmt: skip
_WITH_CAPABILITY: dict[int, dict[str, tuple[int | None, int | None]]] = {
    _SYS_NICE: {
        "get_mempolicy": (239, 236), "mbind": (237, 235), "migrate_pages": (256, 238), "set_mempolicy": (238, 237),
        "set_mempolicy_home_node": (450, 450),
    },
    _SYS_PTRACE: {"kcmp": (312, 272), "pidfd_getfd": (438, 438)},
}  # fmt: skip
"""Refused unless the container has the capability."""
_CLONE, _CLONE3 = (56, 220), 435
_NEW_NAMESPACES = 0x7E02_0000
"""All CLONE_NEW* flags but CLONE_NEWTIME, which clone cannot take."""
_FOREIGN = 0x4000_0000
"""Numbers from here on are x32's."""

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF_0000, 0x0005_0000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Offsets in ``struct seccomp_data``."""
_INSTRUCTION_BYTES = 8


def install(capabilities: int) -> None:
    """Put this process and all that it starts under the profile, which depends on what ``capabilities`` it will have.

    It takes CAP_SYS_ADMIN in the own user namespace, or ``no_new_privs``. Raises ``OSError``.
    """
    architecture = _ARCHITECTURES.get(platform.machine())
    if architecture is None:
        raise OSError(errno.ENOSYS, f"no default seccomp profile for {platform.machine()}", "seccompProfile")
    audited, column = architecture
    calls = dict(_REFUSED)
    for needed, more in _WITH_CAPABILITY.items():
        if not capabilities & needed:
            calls |= more
    numbers = [numbers[column] for numbers in calls.values()]
    program = _program(audited, (number for number in numbers if number is not None), _CLONE[column])
    syscalls.filter_calls(program, len(program) // _INSTRUCTION_BYTES)


def _program(architecture: int, refused: Iterable[int], clone: int) -> bytes:
    refuse, unknown = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    lines: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, refuse),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, 0, 1, _FOREIGN),
        (_RETURN, 0, 0, refuse),
    ]
    for number in sorted(refused):
        lines += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, refuse)]
    lines += [
        (_JUMP_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, unknown),
        (_JUMP_EQUAL, 0, 3, clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_SET, 0, 1, _NEW_NAMESPACES),
        (_RETURN, 0, 0, refuse),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", code, true, false, value) for code, true, false, value in lines)
