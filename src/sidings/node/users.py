"""``/etc/passwd`` of a pod whose containers run as users that this machine does not know.

Programs that look up their own name fail otherwise, as ``getpass.getuser`` does in the caches of PyTorch; CRI-O adds
the same line (v1.34).
"""

from __future__ import annotations

from collections.abc import Mapping


def passwd(machine: str, wanted: Mapping[int, int], home: str) -> str:
    """``machine`` is its own passwd, ``wanted`` user -> group; "" where it knows them all."""
    known = {fields[2] for line in machine.splitlines() if len(fields := line.split(":")) > 2}
    new = {user: group for user, group in wanted.items() if str(user) not in known}
    if not new:
        return ""
    lines = [f"{user}:x:{user}:{group}:{user} user:{home}:/sbin/nologin\n" for user, group in sorted(new.items())]
    return machine.rstrip("\n") + "\n" + "".join(lines)
