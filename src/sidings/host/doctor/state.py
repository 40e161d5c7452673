"""The place where state lives: kind of file system, room, owner."""

from __future__ import annotations

import os
from pathlib import Path

from sidings.host import home
from sidings.host.doctor.finding import Finding, ok, problem, warning
from sidings.host.home import Home
from sidings.store import place

FILE_SYSTEM, DISK = "file system", "disk"
_ELSEWHERE = "export SIDINGS_HOME=/var/tmp/$USER/sidings"
_LITTLE, _TOO_LITTLE = 5 * 2**30, 2**28
"""Bytes: a training run's checkpoints and logs; the objects of a session."""


def file_system(here: Home, mount_table: Path = place.MOUNT_TABLE) -> Finding:
    existing = _existing(here.path)
    kind = place.file_system_of(existing.resolve(), mount_table.read_text())
    if kind in place.SHARED_FILE_SYSTEMS:
        return problem(FILE_SYSTEM, f"{here.path} is on {kind}, where locks do not hold", _ELSEWHERE)
    if not os.access(existing, os.W_OK):
        return problem(FILE_SYSTEM, f"{existing} is not writable for you", _ELSEWHERE)
    if concerns := home.concerns(here, mount_table):
        return warning(FILE_SYSTEM, "; ".join(concerns), _ELSEWHERE)
    return ok(FILE_SYSTEM, f"{here.path} is on {kind}")


def disk(here: Home) -> Finding:
    facts = os.statvfs(_existing(here.path))
    return judge_room(here.path, facts.f_bavail * facts.f_frsize)


def judge_room(path: Path, free: int) -> Finding:
    message = f"{free / 2**30:.1f} GiB are free for {path}"
    remedy = f"df -h {path}   (or another disk: export SIDINGS_HOME=...)"
    if free < _TOO_LITTLE:
        return problem(DISK, message, remedy)
    return warning(DISK, message, remedy) if free < _LITTLE else ok(DISK, message)


def _existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path
