"""A container's root: the host's software, read-only, with everything private to the pod laid over it.

Order decides: software, private directories, then binds by depth (a volume inside another comes after it), then the
files that kubelet manages, and masks last, so that nothing a manifest mounts can uncover what is masked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from sidings.node import masks
from sidings.node.sandbox import syscalls
from sidings.node.sandbox.mounts import READ_ONLY, WRITABLE, NewRoot, open_source
from sidings.node.sandbox.spec import Bind, Container
from sidings.node.sandbox.tier import Views

SCRATCH = ("root", "home", "tmp", "work", "cwd")
"""Directories that ``Container.scratch`` must hold: mount point of the root, and what is private and writable."""
HOME = "/root"
WORK = "/workspace"
"""The working directory of the stock PyTorch images; private to each container here."""

_OWN = frozenset(("dev", "proc", "sys", "tmp", "run", "boot", "lost+found", HOME[1:], WORK[1:]))
"""Top-level entries that a pod never gets from the host."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_FOR_ALL = ("dri", "kfd", "infiniband")
"""Beginnings of names in /dev that every pod gets. NVIDIA's are not among them: a pod has the GPUs it asked for."""
_LINKS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
_PROC_READ_ONLY = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")
_PROC_HIDDEN = ("/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/scsi", "/proc/timer_list")
"""What Docker makes read-only and hides: real root in a pod would otherwise set the host's core_pattern."""
_QUIET = syscalls.MS_NOSUID | syscalls.MS_NODEV


class RootError(Exception):
    """The root cannot be built; the text names the mount."""


def build(container: Container, shared_memory: str, managed: Iterable[Bind], views: Views) -> NewRoot:
    """The root of ``container``, ready to be entered; raises ``RootError``.

    ``managed`` are the pod's hosts, hostname, resolver and termination-log files; ``views`` says whether there can be
    new instances of proc and sysfs, or only what this machine's show.
    """
    root = NewRoot(container.scratch + "/root")
    _software(root)
    _private(root, container, shared_memory, views)
    for path in container.root.hidden:
        if path != HOME and root.is_directory(path):
            root.mount("tmpfs", path, _QUIET, "mode=0755")
    shown = []
    for bind in sorted(container.root.binds, key=lambda bind: len(PurePosixPath(bind.target).parts)):
        shown.append(_bind(root, bind, container.root.secrets))
    for bind in managed:
        _bind(root, bind)
    if not root.exists(container.directory):
        root.bind(container.scratch + "/cwd", container.directory, WRITABLE)
        root.claim(container.directory)
    for path in dict.fromkeys((*container.root.masked, *masks.inside(container.root.secrets, shown))):
        root.hide(path)
    if container.root.read_only:
        root.make_read_only()
    return root


def _bind(root: NewRoot, bind: Bind, secrets: Iterable[str] = ()) -> Bind:
    """Mount ``bind``; returns it as it really is, all links followed.

    Who checks a path before it is opened checks nothing: a pod that may write above it puts a link in its place
    meanwhile. So what was opened is looked at.
    """
    inside = f", subPath {bind.sub_path!r}" if bind.sub_path else ""
    try:
        origin = open_source(bind.source, bind.sub_path)
        try:
            real = str(Path(f"/proc/self/fd/{origin}").readlink())
            if secret := masks.strayed(bind.source, real, secrets):
                raise RootError(f"cannot mount {bind.target}{inside}: it leads to {secret}, which is hidden from pods")
            root.bind_fd(origin, bind.target, READ_ONLY if bind.read_only else WRITABLE)
        finally:
            os.close(origin)
    except OSError as error:
        raise RootError(f"cannot mount {bind.target}{inside}: {error.strerror}") from error
    return Bind(real, bind.target)


def _software(root: NewRoot) -> None:
    """Every directory of the host's root but our own; not its files (a swap file holds everybody's memory)."""
    for entry in sorted(Path("/").iterdir()):
        if entry.name in _OWN:
            continue
        if entry.is_symlink():
            root.link(str(entry.readlink()), str(entry))
        elif entry.is_dir():
            root.bind(str(entry), str(entry), READ_ONLY)


def _private(root: NewRoot, container: Container, shared_memory: str, views: Views) -> None:
    if views.proc:
        root.mount("proc", "/proc", _QUIET | syscalls.MS_NOEXEC)
    else:
        root.bind("/proc", "/proc", WRITABLE)
    for path in _PROC_READ_ONLY:
        root.restrict(path, syscalls.MOUNT_ATTR_RDONLY)
    for path in _PROC_HIDDEN:
        root.hide(path)
    if views.sysfs:
        root.mount("sysfs", "/sys", _QUIET | syscalls.MS_NOEXEC | syscalls.MS_RDONLY)
    else:
        root.bind("/sys", "/sys", READ_ONLY)
    root.hide("/sys/firmware")
    root.mount("tmpfs", "/run", _QUIET, "mode=0755")
    root.bind(container.scratch + "/tmp", "/tmp", WRITABLE)
    root.bind(container.scratch + "/tmp", "/var/tmp", WRITABLE)
    root.bind(container.scratch + "/home", HOME, WRITABLE)
    root.bind(container.scratch + "/work", WORK, WRITABLE)
    for path in ("/run", "/tmp", "/var/tmp", HOME, WORK):
        root.claim(path)
    _devices(root, container, shared_memory)


def _devices(root: NewRoot, container: Container, shared_memory: str) -> None:
    root.mount("tmpfs", "/dev", _QUIET | syscalls.MS_NOEXEC, "mode=0755")
    for_all = [entry.name for entry in Path("/dev").iterdir() if entry.name.startswith(_FOR_ALL)]
    for name in (*_DEVICES, *sorted(for_all), *container.devices):
        root.bind(f"/dev/{name}", f"/dev/{name}", syscalls.MOUNT_ATTR_NOSUID)
    root.mount("devpts", "/dev/pts", syscalls.MS_NOSUID | syscalls.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")
    root.link("pts/ptmx", "/dev/ptmx")
    for name, target in _LINKS.items():
        root.link(target, f"/dev/{name}")
    root.bind(shared_memory, "/dev/shm", WRITABLE)
