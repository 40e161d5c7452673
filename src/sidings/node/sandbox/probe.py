"""What this machine lets a container's root be made of: by building one and throwing it away.

A sysctl or a kernel version says little (AppArmor lets ``unshare`` succeed and refuses the mounts; a container may
allow mounts and refuse ``proc``), so the zygote does once at start what every container will need.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

from sidings.node.sandbox import launcher, rootfs, syscalls, user_namespace
from sidings.node.sandbox.spec import Container, Root
from sidings.node.sandbox.tier import FULL, Views


@dataclass(frozen=True)
class Found:
    """``refused``: why no root can be built, "" where one can; ``missing``: what could not be had for it anew."""

    views: Views = FULL
    missing: tuple[str, ...] = ()
    refused: str = ""


def check(directory: Path, wanted: Views | None = None) -> Found:
    """Build a root below ``directory``, with the ``wanted`` views or the best that can be had.

    To be called in the node's namespaces.
    """
    scratch = directory / "probe"
    for part in (*rootfs.SCRATCH, "view"):
        (scratch / part).mkdir(parents=True, exist_ok=True)
    reader, writer = os.pipe()
    launcher.fork_init(lambda: _try(scratch, writer, wanted))
    os.close(writer)
    with os.fdopen(reader) as report:
        text = report.read()
    shutil.rmtree(scratch)
    if not text:
        return Found(refused="the first process of a pid namespace ended at once")
    value = json.loads(text)
    return Found(Views(**value["views"]), tuple(value["missing"]), value["refused"])


def _try(scratch: Path, report: int, wanted: Views | None) -> NoReturn:
    """In pid 1 of a new pid namespace."""
    views, missing, refused = wanted or FULL, list[str](), ""
    try:
        syscalls.unshare(syscalls.CLONE_NEWNS | syscalls.CLONE_NEWUTS | syscalls.CLONE_NEWIPC)
        syscalls.mount("", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
        if wanted is None:
            views, missing = _views(scratch / "view")
        if not views.proc:
            user_namespace.enter(syscalls.CLONE_NEWNS | syscalls.CLONE_NEWNET)
        container = Container("probe", 0, (), {}, "/", Root(), str(scratch), "", 0, 0)
        rootfs.build(container, str(scratch / "work"), (), views).enter()
    except (OSError, rootfs.RootError) as error:
        refused = str(error)
    finally:
        os.write(report, json.dumps({"views": asdict(views), "missing": missing, "refused": refused}).encode())
        os._exit(0)


def _views(place: Path) -> tuple[Views, list[str]]:
    """What a pod can have its own instance of, and what was refused of that."""
    proc = _refusal(lambda: syscalls.mount("proc", str(place), "proc"))
    sysfs = _refusal(lambda: syscalls.mount("sysfs", str(place), "sysfs", syscalls.MS_RDONLY))
    host_name = _refusal(lambda: socket.sethostname("probe"))
    missing = [
        f"{what}: {refusal}"
        for what, refusal in (("mount of proc", proc), ("mount of sysfs", sysfs), ("sethostname", host_name))
        if refusal
    ]
    return Views(not proc, not sysfs, not host_name), missing


def _refusal(attempt: Callable[[], None]) -> str:
    try:
        attempt()
    except OSError as error:
        return error.strerror or str(error)
    return ""
