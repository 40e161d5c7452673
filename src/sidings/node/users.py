"""``/etc/passwd`` of a pod whose containers run as users that this machine does not know.

Programs that look up their own name fail otherwise, as ``getpass.getuser`` does in the caches of PyTorch; CRI-O adds
the same line (v1.34). Who logs in over SSH needs more: a shell, and the home that holds the keys.
"""

from __future__ import annotations

from collections.abc import Mapping

LOGIN_NAME = "mpiuser"
"""As the images of MPI runtimes call their user."""


def passwd(machine: str, wanted: Mapping[int, int], home: str) -> str:
    """``machine`` is its own passwd, ``wanted`` user -> group; "" where it knows them all."""
    known = {_number(line) for line in machine.splitlines()}
    new = {user: group for user, group in wanted.items() if str(user) not in known}
    if not new:
        return ""
    lines = [f"{user}:x:{user}:{group}:{user} user:{home}:/sbin/nologin\n" for user, group in sorted(new.items())]
    return machine.rstrip("\n") + "\n" + "".join(lines)


def passwd_for_logins(machine: str, wanted: Mapping[int, int], home: str) -> str:
    """The same for a pod in which they log in: their home is ``home``, whatever the machine says of them."""
    others = [line for line in machine.splitlines() if _number(line) not in map(str, wanted)]
    names = [LOGIN_NAME, *map(str, sorted(wanted)[1:])]
    lines = [
        f"{name}:x:{user}:{group}:{user} user:{home}:/bin/sh"
        for name, (user, group) in zip(names, sorted(wanted.items()), strict=False)
    ]
    return "\n".join((*others, *lines)) + "\n"


def _number(line: str) -> str:
    """The user's of a line of passwd."""
    return "".join(line.split(":")[2:3])
