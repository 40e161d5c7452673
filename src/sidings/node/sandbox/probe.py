"""Whether this machine lets a container's root be built: by building one and throwing it away.

A sysctl or a kernel version says little (AppArmor lets ``unshare`` succeed and refuses the mounts; a container may
allow mounts and refuse ``proc``), so the zygote does once at start what every container will need.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

from sidings.node.sandbox import launcher, rootfs, syscalls
from sidings.node.sandbox.spec import Container, Root


def check(directory: Path) -> str:
    """ "" if a root can be built below ``directory``, else what was refused. To be called in the node's namespaces."""
    scratch = directory / "probe"
    for part in rootfs.SCRATCH:
        (scratch / part).mkdir(parents=True, exist_ok=True)
    reader, writer = os.pipe()
    launcher.fork_init(lambda: _try(scratch, writer))
    os.close(writer)
    with os.fdopen(reader) as report:
        refused = report.read()
    shutil.rmtree(scratch)
    return refused


def _try(scratch: Path, report: int) -> NoReturn:
    """In pid 1 of a new pid namespace."""
    try:
        syscalls.unshare(syscalls.CLONE_NEWNS | syscalls.CLONE_NEWUTS | syscalls.CLONE_NEWIPC)
        syscalls.mount("", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
        container = Container("probe", 0, (), {}, "/", Root(), str(scratch), "", 0, 0)
        rootfs.build(container, str(scratch / "work"), ()).enter()
    except (OSError, rootfs.RootError) as error:
        os.write(report, f"{error}".encode())
    finally:
        os._exit(0)
