"""Is this a place where state can live?

Three things make a directory unfit, and each would show much later as lost or mixed-up state: it belongs to another
user (a forgotten ``sudo``), it is on a file system that machines share (locks and SQLite's shared memory do not hold
there), or another engine has it open. The first two are decided here before anything is created; the third by a lock
that the kernel drops when its holder dies, so that ``kill -9`` leaves nothing to clean up.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
from contextlib import suppress
from pathlib import Path

from sidings.store.errors import ForeignOwner, Full, Locked, SharedFileSystem, Unwritable

MOUNT_TABLE = Path("/proc/self/mountinfo")

SHARED_FILE_SYSTEMS = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "9p", "ceph", "lustre", "beegfs", "gpfs", "gfs2",
        "ocfs2", "orangefs", "panfs", "wekafs", "vboxsf", "prl_fs", "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs",
        "fuse.gcsfuse", "fuse.rclone", "fuse.juicefs", "fuse.ceph", "fuse.vmhgfs-fuse", "fuse.mount-s3",
    }
)  # fmt: skip


_OCTAL = re.compile(r"\\([0-7]{3})")
"""How ``mountinfo`` writes spaces, tabs, line ends and backslashes."""


def file_system_of(path: Path, mount_table: str) -> str:
    """The type of the file system that holds ``path`` (absolute, without symlinks), from a ``mountinfo`` text.

    Each line is ``id parent major:minor root mount-point options... - type source options`` (proc(5)); of several
    mounts on one point the last hides the others.
    """
    best, best_length = "", -1
    for line in mount_table.splitlines():
        left, _, right = line.partition(" - ")
        point = Path(_OCTAL.sub(lambda match: chr(int(match[1], 8)), left.split(" ")[4]))
        if path.is_relative_to(point) and len(point.parts) >= best_length:
            best, best_length = right.split(" ")[0], len(point.parts)
    return best


def prepare(directory: Path, mount_table: Path = MOUNT_TABLE) -> None:
    """Make ``directory`` (mode 0700) if it is missing, and raise the ``StoreError`` that says why it is unfit."""
    try:
        _refuse_shared(directory, file_system_of(_existing(directory).resolve(), mount_table.read_text()))
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = directory.stat().st_uid
    except OSError as error:
        raise unwritable(directory, error) from error
    if owner != os.geteuid():
        raise ForeignOwner(
            f"{directory} belongs to user {owner}, not to you ({os.geteuid()})",
            cause="state written by two users ends up readable by only one of them",
            remedy=f"export SIDINGS_HOME=~/.sidings   (or, if it is yours: sudo chown -R {os.geteuid()} {directory})",
        )


def lock(path: Path) -> int:
    """Take the lock file ``path`` for this process; returns its file descriptor, which holds the lock until closed."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
        os.close(descriptor)
        raise Locked(
            f"{path.parent} is in use by another engine" + (f" (process {holder})" if holder else ""),
            cause="two engines on one state would overwrite each other",
            remedy="sidings status   (or, to stop it: sidings down)",
        ) from error
    # The pid only serves the message above: a disk too full for it must still let its owner read the state.
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def unwritable(path: Path, error: OSError) -> Unwritable:
    """The StoreError for an operating system error at ``path``."""
    if error.errno == errno.ENOSPC:
        return full(path)
    return Unwritable(
        f"cannot write {path}",
        cause=error.strerror or str(error),
        remedy=f"ls -ld {path.parent}   (or choose another place: export SIDINGS_HOME=...)",
    )


def full(path: Path) -> Full:
    return Full(
        f"no space left for {path}",
        cause="the write was refused as a whole; everything acknowledged before is safe and can be read",
        remedy=f"df -h {path.parent}   (writing works again as soon as there is room)",
    )


def is_full(path: Path) -> bool:
    """Whether less than one SQLite page is free where ``path`` lies."""
    facts = os.statvfs(_existing(path))
    return facts.f_bavail * facts.f_frsize < 4096


def _existing(path: Path) -> Path:
    """``path`` or the nearest directory above it that exists."""
    while not path.exists():
        path = path.parent
    return path


def _refuse_shared(directory: Path, file_system: str) -> None:
    if file_system in SHARED_FILE_SYSTEMS:
        raise SharedFileSystem(
            f"{directory} is on a {file_system} file system",
            cause="locks and SQLite's shared memory are not reliable there, so state could be lost",
            remedy="choose a local disk: export SIDINGS_HOME=/var/tmp/$USER/sidings",
        )
