"""Which process is which, on disk: for whoever comes after a crash."""

from __future__ import annotations

import json
from pathlib import Path

from sidings.node.sandbox import identity


def living(note: Path) -> int:
    """The pid in ``note`` if exactly that process still runs, else 0."""
    if not note.exists():
        return 0
    known = json.loads(note.read_text())
    return int(known["pid"]) if identity.is_alive(known["pid"], known["start_time"], known["boot_id"]) else 0


def write(note: Path, pid: int) -> None:
    """Write down which process this is."""
    fresh = note.with_suffix(".new")
    fresh.write_text(json.dumps(identity.describe(pid)))
    fresh.replace(note)
