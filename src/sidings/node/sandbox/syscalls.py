"""The system calls that the standard library lacks, through ctypes; each raises ``OSError`` with the path at fault.

Numbers are those of the unified table (same on every architecture since Linux 4.17), except ``pivot_root``.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Callable, Iterable
from pathlib import Path

CLONE_NEWNS = 0x0002_0000
CLONE_NEWUTS = 0x0400_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWPID = 0x2000_0000
CLONE_NEWNET = 0x4000_0000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

MOUNT_ATTR_RDONLY = 1
MOUNT_ATTR_NOSUID = 2
MOUNT_ATTR_NODEV = 4

AT_RECURSIVE = 0x8000
AT_EMPTY_PATH = 0x1000
RESOLVE_BENEATH = 0x08
RESOLVE_IN_ROOT = 0x10
O_PATH = 0o10000000

_OPEN_TREE_CLONE = 1
_OPEN_TREE_CLOEXEC = os.O_CLOEXEC
_MOVE_MOUNT_F_EMPTY_PATH = 0x04
_MOVE_MOUNT_T_EMPTY_PATH = 0x40

_SYS_OPEN_TREE = 428
_SYS_MOVE_MOUNT = 429
_SYS_OPENAT2 = 437
_SYS_MOUNT_SETATTR = 442
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}
"""Its number by ``platform.machine()``."""
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91, "riscv64": 91, "ppc64le": 184, "s390x": 185}

_IN_MOVED_TO = 0x80

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NAME = 15
_PR_SET_SECCOMP = 22
_PR_CAPBSET_DROP = 24
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38

_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63

_DESCRIPTORS = 1024
"""Far above what a zygote or a shim ever has open."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _typed(*arguments: type[ctypes.c_long] | type[ctypes.c_char_p]) -> Callable[..., int]:
    """``syscall`` for arguments of these types, which ctypes then converts in C.

    For the calls that building a root makes two hundred of: converting one by one in Python was a third of its time.
    """
    function = _libc["syscall"]
    function.restype = ctypes.c_long
    function.argtypes = (ctypes.c_long, *arguments)
    return function


_NUMBER, _BYTES = ctypes.c_long, ctypes.c_char_p
_openat2 = _typed(_NUMBER, _BYTES, _BYTES, _NUMBER)
_open_tree = _typed(_NUMBER, _BYTES, _NUMBER)
_mount_setattr = _typed(_NUMBER, _BYTES, _NUMBER, _BYTES, _NUMBER)
_move_mount = _typed(_NUMBER, _BYTES, _NUMBER, _BYTES, _NUMBER)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def call(number: int, *args: int | bytes | ctypes.Array[ctypes.c_char], what: str) -> int:
    """The system call ``number`` of the unified table; ``what`` names it in the error."""
    wide = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return _check(int(_libc.syscall(ctypes.c_long(number), *wide)), what)


def unshare(flags: int) -> None:
    _check(_libc.unshare(ctypes.c_int(flags)), f"unshare({flags:#x})")


def setns(fd: int, kind: int) -> None:
    _check(_libc.setns(ctypes.c_int(fd), ctypes.c_int(kind)), f"setns({kind:#x})")


def mount(source: str, target: str, filesystem: str = "", flags: int = 0, options: str = "") -> None:
    result = _libc.mount(
        source.encode(), target.encode(), filesystem.encode() or None, ctypes.c_ulong(flags), options.encode() or None
    )
    _check(result, f"mount of {filesystem or source} on {target}")


def unmount(target: str) -> None:
    """Lazily: what is still open in it stays alive until closed."""
    _check(_libc.umount2(target.encode(), ctypes.c_int(MNT_DETACH)), target)


def pivot_root(new_root: str, put_old: str) -> None:
    number = PIVOT_ROOT[platform.machine()]
    call(number, new_root.encode(), put_old.encode(), what=f"pivot_root({new_root})")


def open_in_root(root: int, path: str, flags: int = O_PATH, resolve: int = RESOLVE_IN_ROOT) -> int:
    """``openat2``: open ``path`` as if the directory ``root`` were ``/``; no symlink and no ``..`` leads out of it."""
    how = struct.pack("=QQQ", flags | os.O_CLOEXEC, 0, resolve)
    return _check(_openat2(_SYS_OPENAT2, root, path.encode(), how, len(how)), path)


def clone_tree(directory: int, path: str = "") -> int:
    """A detached copy of the mounts at ``path`` (relative to the fd, or the fd itself) and below, as an fd."""
    flags = _OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC | AT_RECURSIVE | (0 if path else AT_EMPTY_PATH)
    return _check(_open_tree(_SYS_OPEN_TREE, directory, path.encode(), flags), path or f"fd {directory}")


def restrict_tree(tree: int, attributes: int) -> None:
    """Set ``MOUNT_ATTR_*`` on a whole detached tree; a tree that is attached afterwards was never without them."""
    _set_attributes(tree, attributes, AT_EMPTY_PATH | AT_RECURSIVE)


def restrict_mount(mounted: int, attributes: int) -> None:
    """Set ``MOUNT_ATTR_*`` on the one mount that the fd ``mounted`` is the root of."""
    _set_attributes(mounted, attributes, AT_EMPTY_PATH)


def _set_attributes(mounted: int, attributes: int, flags: int) -> None:
    wanted = struct.pack("=QQQQ", attributes, 0, 0, 0)
    result = _mount_setattr(_SYS_MOUNT_SETATTR, mounted, b"", flags, wanted, len(wanted))
    _check(result, f"mount_setattr fd {mounted}")


def attach_tree(tree: int, target: int) -> None:
    """Mount the detached ``tree`` on what the fd ``target`` refers to."""
    flags = _MOVE_MOUNT_F_EMPTY_PATH | _MOVE_MOUNT_T_EMPTY_PATH
    _check(_move_mount(_SYS_MOVE_MOUNT, tree, b"", target, b"", flags), f"move_mount fd {tree} -> fd {target}")


def watch_renames(directory: str) -> int:
    """An fd that becomes readable when a file is moved into ``directory``."""
    watch = _check(_libc.inotify_init1(ctypes.c_int(os.O_CLOEXEC)), "inotify_init1")
    _check(_libc.inotify_add_watch(ctypes.c_int(watch), directory.encode(), ctypes.c_uint32(_IN_MOVED_TO)), directory)
    return watch


def close_others(kept: Iterable[int]) -> None:
    """Close every descriptor but the standard ones and ``kept``."""
    low = 3
    for fd in sorted(kept):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, _DESCRIPTORS)


def die_with_parent(signal: int) -> None:
    """Have the kernel send ``signal`` when the parent's thread ends. Cleared by fork."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal), 0, 0, 0), "PR_SET_PDEATHSIG")


def become_subreaper() -> None:
    _check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1), 0, 0, 0), "PR_SET_CHILD_SUBREAPER")


def become_dumpable() -> None:
    """A process that changed its uid may not write its own /proc files otherwise."""
    _check(_libc.prctl(_PR_SET_DUMPABLE, ctypes.c_ulong(1), 0, 0, 0), "PR_SET_DUMPABLE")


def forbid_new_privileges() -> None:
    """No program that this process starts gets more rights than it has: set-user-ID bits do not count any more."""
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0), "PR_SET_NO_NEW_PRIVS")


def set_name(name: str) -> None:
    """What ``ps`` shows as the command, at most 15 bytes."""
    _check(_libc.prctl(_PR_SET_NAME, name.encode()[:15], 0, 0, 0), "PR_SET_NAME")


def capabilities() -> int:
    """The mask of those that this process may use."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1], 16) for line in lines if line.startswith("CapPrm:"))


def filter_calls(program: bytes, length: int) -> None:
    """Put this process and all that it starts under a seccomp filter of ``length`` instructions."""
    held = ctypes.create_string_buffer(program, len(program))
    pointer = ctypes.create_string_buffer(struct.pack("=H6xQ", length, ctypes.addressof(held)), 16)
    _check(_libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), pointer, 0, 0), "seccomp")


def limit_capabilities(mask: int) -> None:
    """Have no program that this process starts gain a capability outside ``mask``."""
    for capability in range(_LAST_CAPABILITY + 1):
        if not mask >> capability & 1 and _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break  # EINVAL: past the last capability that this kernel knows


def keep_capabilities(mask: int) -> None:
    """Drop every capability outside ``mask``, for this process and for whatever it starts."""
    limit_capabilities(mask)
    low, high = mask & 0xFFFF_FFFF, mask >> 32
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION_3, 0), 8)
    data = ctypes.create_string_buffer(struct.pack("=6I", low, low, 0, high, high, 0), 24)
    call(_SYS_CAPSET[platform.machine()], header, data, what="capset")
