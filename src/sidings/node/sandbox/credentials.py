"""As whom a container's processes run, and with which rights: the kernel's side of ``securityContext``.

Two ways lead to a user that is not root. Root of the machine changes to him. An ordinary user's root is alone in its
user namespace, so there is nobody to change to: init enters one more user namespace in which this same user has the
number that was asked for. The pod sees what it asked for either way, and on the second files in volumes keep belonging
to the user who runs it.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from sidings.node.sandbox import seccomp, syscalls, user_namespace

DEFAULT_CAPABILITIES = 0xA80425FB & ~(1 << 27)
"""Docker's default set without CAP_MKNOD: there is no device cgroup here to take the sting out of a device node."""
_TO_CHANGE = 1 << 0 | 1 << 6 | 1 << 7 | 1 << 8
"""CAP_CHOWN, CAP_SETGID, CAP_SETUID and CAP_SETPCAP: init keeps them, to make of each command what it is to be."""


@dataclass(frozen=True)
class Credentials:
    user: int = 0
    group: int = 0
    groups: tuple[int, ...] = ()
    """Supplementary ones; only root of the machine can give them."""
    capabilities: int = DEFAULT_CAPABILITIES
    """What there is at most; a user that is not root starts with none of them, as on a cluster."""
    no_new_privileges: bool = False
    seccomp: bool = False
    """``RuntimeDefault``"""


def prepare(wanted: Credentials) -> None:
    """In init, root of the container, before any command: what all its processes share. Cannot be undone."""
    if not user_namespace.knows(wanted.user, wanted.group):
        user_namespace.enter(0, user=wanted.user, group=wanted.group)
    if wanted.seccomp:
        seccomp.install(wanted.capabilities)
    syscalls.keep_capabilities(wanted.capabilities | _TO_CHANGE)


def assume(wanted: Credentials) -> None:
    """In the process that becomes a command, last of all."""
    for descriptor in range(3):
        # A pipe of root's cannot be opened anew by others, and /dev/stdout is opened by many programs (as runc does).
        with contextlib.suppress(OSError):
            os.fchown(descriptor, wanted.user, -1)
    if os.getuid() != wanted.user or os.getgid() != wanted.group or wanted.groups:
        os.setgroups(wanted.groups)
        os.setresgid(wanted.group, wanted.group, wanted.group)
    if os.getuid() != wanted.user:
        syscalls.limit_capabilities(wanted.capabilities)
        os.setresuid(wanted.user, wanted.user, wanted.user)
    else:
        syscalls.keep_capabilities(wanted.capabilities)
    if wanted.no_new_privileges:
        syscalls.forbid_new_privileges()
