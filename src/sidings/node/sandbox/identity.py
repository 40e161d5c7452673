"""Which process is meant: a pid counts only with its start time and the boot it belongs to."""

from __future__ import annotations

from pathlib import Path


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def start_time(pid: int) -> int:
    """Field 22 of ``/proc/<pid>/stat``, in clock ticks since boot; 0 for a process that does not exist (any more)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    fields = text[text.rindex(")") + 2 :].split()
    return 0 if fields[0] in "ZX" else int(fields[19])


def describe(pid: int) -> dict[str, int | str]:
    """What ``is_alive`` needs to recognise a living process later, as JSON."""
    return {"pid": pid, "start_time": start_time(pid), "boot_id": boot_id()}


def is_alive(pid: int, started: int, boot: str) -> bool:
    """Whether exactly that process still runs; a zombie does not."""
    return boot == boot_id() and started != 0 and start_time(pid) == started
