"""What went over a pod's network interface since the pod started, from /proc."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
INTERFACE = "eth0"


@dataclass(frozen=True)
class Traffic:
    received_bytes: int
    sent_bytes: int


def traffic(pid: int, proc: Path = PROC) -> Traffic | None:
    """Of the network namespace of ``pid``; None where it has no ``eth0`` or has ended."""
    try:
        lines = (proc / str(pid) / "net" / "dev").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        name, colon, figures = line.partition(":")
        if colon and name.strip() == INTERFACE:
            columns = figures.split()
            return Traffic(int(columns[0]), int(columns[8]))
    return None
