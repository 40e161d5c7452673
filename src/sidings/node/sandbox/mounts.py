"""Building a container's root without touching the host: every path is resolved inside the new root.

Volumes, images of ``/var/run -> /run`` and symlinks that a workload left in a volume must not lead a mount, or the
creation of its mount point, out to the host. So nothing here handles a path of the new root as a string that the
kernel resolves from the old one: it is opened by ``openat2(RESOLVE_IN_ROOT)`` and mounted on by file descriptor.

A mount point that is missing in a read-only host directory is made by *exploding* that one directory: a tmpfs over it
in which every entry of the host's is bound again. (An overlay would be faster on very large directories, 7-12 ms
against 15-30 ms for eight awkward paths, but it loses submounts and fails rootless on locked ones; two ways would be
needed instead of one.)
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from sidings.node.sandbox import syscalls

READ_ONLY = syscalls.MOUNT_ATTR_RDONLY | syscalls.MOUNT_ATTR_NOSUID | syscalls.MOUNT_ATTR_NODEV
WRITABLE = syscalls.MOUNT_ATTR_NOSUID | syscalls.MOUNT_ATTR_NODEV


class NewRoot:
    """A root file system under construction: a tmpfs mounted at ``directory`` in the current mount namespace."""

    def __init__(self, directory: str) -> None:
        syscalls.mount("tmpfs", directory, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=0755")
        self.directory = directory
        self._root = os.open(directory, syscalls.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._own = [self._root]
        """Mounts that are of the container itself: what a read-only root is about."""

    def bind(self, source: str, target: str, attributes: int, sub_path: str = "") -> None:
        """Mount the host's ``source`` (a directory or file; with all below it) at ``target`` of the new root.

        ``sub_path`` is followed inside ``source`` and cannot leave it; a missing one is made, as kubelet does.
        """
        origin = open_source(source, sub_path)
        try:
            self.bind_fd(origin, target, attributes)
        finally:
            os.close(origin)

    def bind_fd(self, origin: int, target: str, attributes: int) -> None:
        is_directory = stat.S_ISDIR(os.fstat(origin).st_mode)
        tree = syscalls.clone_tree(origin)
        try:
            if attributes:
                syscalls.restrict_tree(tree, attributes)
            with self.place(target, is_directory) as point:
                syscalls.attach_tree(tree, point)
        finally:
            os.close(tree)

    def mount(self, filesystem: str, target: str, flags: int = 0, options: str = "") -> None:
        """A new instance of ``filesystem`` at ``target``."""
        with self.place(target, is_directory=True) as point:
            syscalls.mount(filesystem, f"/proc/self/fd/{point}", filesystem, flags, options)

    def link(self, content: str, target: str) -> None:
        above, name = posixpath.split(target)
        parent = self._directory(above)
        try:
            os.symlink(content, name, dir_fd=parent)
        finally:
            os.close(parent)

    def restrict(self, path: str, attributes: int) -> None:
        """Add ``attributes`` to what is at ``path`` of the new root already, by mounting it on itself."""
        origin = self._open(path)
        if origin is None:
            return
        try:
            self.bind_fd(origin, path, attributes)
        finally:
            os.close(origin)

    def hide(self, path: str) -> None:
        """Cover what is at ``path``: a directory with an empty one, a file with nothing. Absent paths stay absent."""
        found = self._open(path)
        if found is None:
            return
        is_directory = stat.S_ISDIR(os.fstat(found).st_mode)
        os.close(found)
        if is_directory:
            self.mount("tmpfs", path, syscalls.MS_RDONLY | syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=0755,size=0")
        else:
            self.bind("/dev/null", path, syscalls.MOUNT_ATTR_RDONLY | syscalls.MOUNT_ATTR_NOSUID)

    def claim(self, path: str) -> None:
        """What is mounted at ``path`` by now is the container's own, whatever is mounted on it later."""
        found = self._open(path)
        assert found is not None, f"{path} was just mounted"
        self._own.append(found)

    def make_read_only(self) -> None:
        """The root itself and what was claimed, not the volumes mounted in them."""
        for mounted in self._own:
            syscalls.restrict_mount(mounted, syscalls.MOUNT_ATTR_RDONLY)

    def exists(self, path: str) -> bool:
        fd = self._open(path)
        if fd is None:
            return False
        os.close(fd)
        return True

    def is_directory(self, path: str) -> bool:
        fd = self._open(path)
        if fd is None:
            return False
        try:
            return stat.S_ISDIR(os.fstat(fd).st_mode)
        finally:
            os.close(fd)

    def enter(self) -> None:
        """Make this the root of the process; the host's is gone afterwards."""
        os.chdir(self.directory)
        syscalls.pivot_root(".", ".")
        syscalls.unmount(".")
        os.chdir("/")
        for mounted in self._own:
            os.close(mounted)

    @contextlib.contextmanager
    def place(self, target: str, is_directory: bool) -> Iterator[int]:
        """An fd of the mount point ``target``, made where it is missing."""
        path = "/" + "/".join(part for part in target.split("/") if part not in ("", "."))
        point = self._open(path)
        if point is None:
            above, name = posixpath.split(path)
            parent = self._directory(above)
            try:
                if is_directory:
                    os.mkdir(name, 0o755, dir_fd=parent)
                else:
                    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=parent))
            except FileExistsError as error:
                text = f"{path} is a symbolic link that leads nowhere in the pod"
                raise OSError(errno.ENOENT, text, path) from error
            except OSError as error:
                if error.errno != errno.EROFS:
                    raise
                self._explode(parent, above)
                with self.place(target, is_directory) as made:
                    yield made
                return
            finally:
                os.close(parent)
            point = self._open(path)
            assert point is not None, f"{path} was just made"
        try:
            yield point
        finally:
            os.close(point)

    def _directory(self, path: str) -> int:
        """An fd of the directory ``path``, made with its parents where missing."""
        fd = self._open(path)
        if fd is not None:
            return fd
        with self.place(path, is_directory=True) as made:
            return os.dup(made)

    def _explode(self, directory: int, path: str) -> None:
        """Cover a read-only directory with a writable one of the same content."""
        names = [entry.name for entry in Path(f"/proc/self/fd/{directory}").iterdir()]
        syscalls.mount(
            "tmpfs", f"/proc/self/fd/{directory}", "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=0755"
        )
        self.claim(path)
        for name in names:
            _repeat(directory, self._own[-1], name)

    def _open(self, path: str) -> int | None:
        try:
            return syscalls.open_in_root(self._root, path)
        except FileNotFoundError:
            return None


def open_source(source: str, sub_path: str = "") -> int:
    """An O_PATH fd of ``sub_path`` inside ``source``; raises ``OSError`` where a link or ``..`` would leave it."""
    fd = os.open(source, syscalls.O_PATH | os.O_CLOEXEC)
    if not sub_path:
        return fd
    try:
        return _open_beneath(fd, PurePosixPath(sub_path))
    except OSError as error:
        if error.errno == errno.EXDEV:
            raise OSError(errno.EXDEV, "it leads out of its volume", sub_path) from error
        raise
    finally:
        os.close(fd)


def _open_beneath(root: int, path: PurePosixPath) -> int:
    try:
        return syscalls.open_in_root(root, str(path), resolve=syscalls.RESOLVE_BENEATH)
    except FileNotFoundError:
        if path.parent == path:
            raise
    parent = _open_beneath(root, path.parent)
    try:
        os.mkdir(path.name, 0o750, dir_fd=parent)
    finally:
        os.close(parent)
    return syscalls.open_in_root(root, str(path), resolve=syscalls.RESOLVE_BENEATH)


def _repeat(origin: int, cover: int, name: str) -> None:
    """Show the entry ``name`` of the covered directory ``origin`` in ``cover`` as well."""
    mode = os.stat(name, dir_fd=origin, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(name, dir_fd=origin), name, dir_fd=cover)
        return
    if stat.S_ISDIR(mode):
        os.mkdir(name, dir_fd=cover)
    else:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=cover))
    point = os.open(name, syscalls.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=cover)
    try:
        tree = syscalls.clone_tree(origin, name)
        try:
            syscalls.attach_tree(tree, point)
        finally:
            os.close(tree)
    finally:
        os.close(point)
