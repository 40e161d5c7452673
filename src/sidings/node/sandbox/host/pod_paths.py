"""What a pod calls its paths and where they lie on this machine; and which paths it may open at all. Pure but for
looking at the machine's folders.

The same decisions as in ``rootfs``, made with text: volumes at their targets, a home, a working directory and /tmp of
the container's own, and of the machine everything but homes, secrets and what belongs to other pods.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from sidings.node.sandbox.rootfs import HOME, WORK
from sidings.node.sandbox.spec import Bind, Container

_CLOSED = ("/dev", "/proc", "/sys", "/tmp", "/var/tmp", "/run", "/boot", "/lost+found", "/swapfile")
_OPEN = ("/proc", "/sys", "/run/systemd/resolve")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts")
SHARED_MEMORY = "/dev/shm"


def paths(container: Container, managed: Iterable[Bind]) -> dict[str, str]:
    """Path of the pod -> path of the machine, longest first. Paths that are the same are among them: what lies in a
    folder that is replaced may itself be where it says."""
    scratch = container.scratch
    found = {
        HOME: f"{scratch}/home",
        WORK: f"{scratch}/work",
        "/tmp": f"{scratch}/tmp",
        "/var/tmp": f"{scratch}/tmp",
    }
    for bind in (*container.root.binds, *managed):
        source = str(PurePosixPath(bind.source, bind.sub_path)) if bind.sub_path else bind.source
        for target in _names(bind.target):
            found[target] = source
    if not any(within(container.directory, target) for target in found) and not Path(container.directory).exists():
        found[container.directory] = f"{scratch}/cwd"
    return dict(sorted(found.items(), key=lambda pair: len(pair[0]), reverse=True))


def moved(path: str, moves: dict[str, str]) -> str:
    """``path`` of the pod as it is on the machine."""
    folded = str(PurePosixPath(path)) if path.startswith("/") else path
    for target, source in moves.items():
        if within(folded, target):
            return source + folded[len(target) :]
    return path


def nested(moves: dict[str, str], scratch: str) -> Iterator[tuple[str, str]]:
    """(link, what it leads to): mount points inside the container's own folders, so that relative paths find them."""
    for target, source in moves.items():
        outer = next((other for other in moves if other != target and within(target, other)), None)
        if outer and within(moves[outer], scratch) and target != source:
            yield moves[outer] + target[len(outer) :], source


def readable(container: Container, managed: Iterable[Bind], root: Path = Path("/")) -> list[str]:
    """What the container may read and execute."""
    closed = {*_CLOSED, *container.root.hidden, *container.root.masked, HOME, WORK}
    shown = list(visible(root, closed))
    for bind in (*container.root.binds, *managed):
        if bind.read_only:
            shown += visible(_source(bind), closed)
    return [*shown, *_OPEN]


def writable(container: Container, managed: Iterable[Bind]) -> list[str]:
    """Where the container may do everything: its own folders, volumes, shared memory, the usual devices."""
    closed = {*container.root.hidden, *container.root.masked}
    shown = [f"{container.scratch}/{part}" for part in ("home", "tmp", "work", "cwd")]
    for bind in (*container.root.binds, *managed):
        if not bind.read_only:
            shown += visible(_source(bind), closed)
    return [*shown, SHARED_MEMORY, *_DEVICES, *(f"/dev/{name}" for name in container.devices)]


def visible(folder: Path, closed: Collection[str]) -> Iterator[str]:
    """The fewest paths that together show ``folder`` without what is ``closed`` below it."""
    name = str(folder)
    prefix = name.rstrip("/") + "/"
    if not any(path.startswith(prefix) for path in closed):
        yield name
        return
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if str(entry) not in closed and not entry.is_symlink():
            yield from visible(entry, closed)


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _source(bind: Bind) -> Path:
    return Path(bind.source, bind.sub_path) if bind.sub_path else Path(bind.source)


def _names(target: str) -> Sequence[str]:
    """/var/run is /run on most machines, and programs say either."""
    if within(target, "/var/run"):
        return target, target[len("/var") :]
    return (target, f"/var{target}") if within(target, "/run") else (target,)
