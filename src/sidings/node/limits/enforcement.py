"""Whether the kernel keeps containers to their limits here: tried once, by making a control group.

Version 1 has a hierarchy for each controller, version 2 one for all. Ours lie below the group that the agent itself is
in, so that whatever limits the agent also limits its pods. In version 2 a group that has processes may not hand
controllers down, unless it is the root: there ours lie below the root, which only root may do. An ordinary user has
them where systemd has handed a group to him (``delegation``). Others are polled.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sidings.node.limits import delegation
from sidings.node.sandbox import cgroups

CONTROLLERS = ("cpu", "memory", "pids")
MOUNTS = Path("/proc/self/mountinfo")
MEMBERSHIP = Path("/proc/self/cgroup")
_NOTES = "cgroups.json"
_UNIFIED, _ROOT = "", "/"
_POLLED = (
    "Memory limits and the number of processes are checked every second and not in between, cpu limits only set the "
    "number of threads (OMP_NUM_THREADS)"
)


@dataclass(frozen=True)
class Enforcement:
    """``parents``: controller -> the directory in which each container gets its group; empty where polled."""

    version: int = 0
    parents: Mapping[str, Path] = field(default_factory=dict)
    refused: str = ""

    @property
    def reason(self) -> str:
        return f"CgroupsV{self.version}" if self.parents else "Polled"

    @property
    def message(self) -> str:
        if self.parents:
            return f"The kernel keeps containers to their limits of {', '.join(sorted(self.parents))}"
        return f"{_POLLED}: {self.refused}"


def probe(state_dir: Path, mounts: str | None = None, membership: str | None = None) -> Enforcement:
    """Make the parent groups of the agent at ``state_dir``; where that is refused, say why.

    ``mounts`` and ``membership`` are the contents of ``/proc/self/mountinfo`` and ``/proc/self/cgroup``.
    """
    name = group_name(state_dir)
    found = _hierarchies(
        MOUNTS.read_text() if mounts is None else mounts, MEMBERSHIP.read_text() if membership is None else membership
    )
    try:
        if any(controller in found for controller in CONTROLLERS):
            made = Enforcement(1, {key: path / name for key, path in found.items() if key in CONTROLLERS})
            for parent in made.parents.values():
                parent.mkdir(exist_ok=True)
            _weigh(made.parents)
        elif _UNIFIED in found:
            made = Enforcement(2, _version_2(found[_UNIFIED], found[_ROOT], name))
        else:
            return Enforcement(refused="no control groups are mounted")
    except OSError as error:
        return Enforcement(refused=f"control groups are refused ({error.filename or 'cgroup'}: {error.strerror})")
    _note(state_dir, made.parents.values())
    return made


def group_name(state_dir: Path) -> str:
    """What the parent groups of the agent at ``state_dir`` are called; agents of several homes have their own."""
    return "sidings-" + hashlib.sha256(os.fsencode(state_dir.resolve())).hexdigest()[:12]


def forget(state_dir: Path, pod_uid: str = "") -> None:
    """Remove the groups of one pod, or all of them and their parents; the processes in them have ended.

    Groups of earlier agents of ``state_dir`` included: another login session is another place in the hierarchy.
    """
    for parent in _noted(state_dir):
        for group in parent.glob(f"{pod_uid}*/"):
            cgroups.leave((cgroups.Group(str(group)),))
        if not pod_uid:
            cgroups.leave((cgroups.Group(str(parent)),))
    if not pod_uid:
        (state_dir / _NOTES).unlink(missing_ok=True)


def _noted(state_dir: Path) -> list[Path]:
    notes = state_dir / _NOTES
    return [Path(line) for line in json.loads(notes.read_text())] if notes.exists() else []


def _note(state_dir: Path, parents: Iterable[Path]) -> None:
    """Write down which groups are ours, for whoever cleans up after a crash."""
    known = [path for path in _noted(state_dir) if path.exists()]
    fresh = (state_dir / _NOTES).with_suffix(".new")
    fresh.write_text(json.dumps(sorted({str(path) for path in (*known, *parents)})))
    fresh.replace(state_dir / _NOTES)


def _weigh(parents: Mapping[str, Path]) -> None:
    """Let all pods together weigh what the machine's cores do, as kubelet's ``kubepods`` does.

    In version 1 a new group weighs as much as one process beside it: eight ranks would share what one busy shell gets.
    In version 2 processes are in groups too, and one of ours weighs as much as a user's session.
    """
    if "cpu" in parents and (shares := parents["cpu"] / "cpu.shares").exists():
        shares.write_text(str(1024 * (os.cpu_count() or 1)))


def _version_2(own: Path, root: Path, name: str) -> dict[str, Path]:
    own = delegation.handed_over(own)
    try:
        if delegation.is_delegated(own):
            delegation.make_room(own)
        return _below(own, name)
    except OSError:
        if own == root:
            raise
        return _below(root, name)


def _below(own: Path, name: str) -> dict[str, Path]:
    offered = set((own / "cgroup.controllers").read_text().split())
    wanted = [controller for controller in CONTROLLERS if controller in offered]
    if not wanted:
        raise OSError(errno.ENODEV, "no controllers are handed down to it", str(own))
    missing = set(wanted) - set((own / "cgroup.subtree_control").read_text().split())
    if missing:
        _hand_down(own, sorted(missing))
    parent = own / name
    parent.mkdir(exist_ok=True)
    _hand_down(parent, wanted)
    return dict.fromkeys(wanted, parent)


def _hand_down(group: Path, controllers: list[str]) -> None:
    (group / "cgroup.subtree_control").write_text(" ".join(f"+{controller}" for controller in controllers))


def _hierarchies(mounts: str, membership: str) -> dict[str, Path]:
    """Controller -> the directory of our own group; version 2 under the empty name, and its root."""
    groups: dict[str, str] = {}
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        groups |= dict.fromkeys(controllers.split(","), path)
    found: dict[str, Path] = {}
    for line in mounts.splitlines():
        place, _, kind = line.partition(" - ")
        fields = place.split()
        root, mount = fields[3], fields[4]
        filesystem, _, options = kind.split(maxsplit=2)
        if filesystem == "cgroup2":
            names = [_UNIFIED]
            found.setdefault(_ROOT, Path(mount))
        elif filesystem == "cgroup":
            names = [name for name in options.split(",") if name in CONTROLLERS]
        else:
            continue
        for name in names:
            if name in groups:
                # Inside a container the mount shows only the part of the hierarchy from ``root`` on.
                inside = os.path.relpath(groups[name], root)
                found.setdefault(name, Path(mount) if inside.startswith("..") else Path(mount, inside))
    return found
