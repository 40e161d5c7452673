"""Linux capabilities by name, and which of them a container may have here: pure."""

from __future__ import annotations

from collections.abc import Iterable

NAMES = (
    "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP",
    "LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER",
    "SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE",
    "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP",
    "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF",
    "CHECKPOINT_RESTORE",
)  # fmt: skip
"""In the order of their numbers (linux/capability.h)."""
ADDABLE = frozenset(
    (
        "BLOCK_SUSPEND", "IPC_LOCK", "IPC_OWNER", "LEASE", "NET_ADMIN", "NET_BROADCAST", "SYS_NICE", "SYS_PTRACE",
        "SYS_RESOURCE", "WAKE_ALARM",
    )
)  # fmt: skip
"""Beyond the default set: those that reach no further than the pod's own namespaces, or only take up resources."""
ALL = "ALL"


def number(name: str) -> int | None:
    """Of ``IPC_LOCK`` or ``CAP_IPC_LOCK``; None for a name that Linux does not know."""
    plain = name.upper().removeprefix("CAP_")
    return NAMES.index(plain) if plain in NAMES else None


def mask(default: int, add: Iterable[str], drop: Iterable[str]) -> int:
    """``default`` with ``add`` and without ``drop``; what is in both is there, as runtimes do. Names must be known."""
    dropped = list(drop)
    made = 0 if any(name.upper() == ALL for name in dropped) else default & ~_bits(dropped)
    return made | _bits(add)


def refused(default: int, add: Iterable[str]) -> list[str]:
    """Which of ``add`` a container cannot have."""
    return [name for name in add if (bit := number(name)) is None or not (default >> bit & 1 or NAMES[bit] in ADDABLE)]


def _bits(names: Iterable[str]) -> int:
    made = 0
    for name in names:
        if (bit := number(name)) is not None:
            made |= 1 << bit
    return made
