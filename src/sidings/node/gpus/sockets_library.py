"""The sockets library of ``gang_links``, compiled at its first use and kept in the agent's state directory.

Compiled here rather than shipped: a wheel without binaries runs on every architecture and libc, and whoever trains on
GPUs has a compiler (Triton needs one). Its name holds the hash of its source, so a new version is compiled anew.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import subprocess
from pathlib import Path

log = logging.getLogger(__name__)

SOURCE = Path(__file__).with_name("nccl_sockets.c")
COMPILERS = ("cc", "gcc", "clang")


def file_in(folder: Path) -> Path:
    """Where the library of this version lies below ``folder``, compiled or not."""
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    return folder / f"nccl_sockets-{digest}.so"


def ensure(folder: Path) -> Path | None:
    """The library, compiled if it is not there yet (0.1 s); None where that is not possible, which the log explains."""
    library = file_in(folder)
    if library.exists():
        return library
    compiler = next((found for name in COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        log.warning("no C compiler (%s): NVLink between pods of a job is not kept", ", ".join(COMPILERS))
        return None
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{library.name}.{os.getpid()}"
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(fresh), str(SOURCE), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        log.warning("NVLink between pods of a job is not kept: %s failed: %s", compiler, done.stderr.strip())
        return None
    fresh.chmod(0o755)
    fresh.replace(library)
    return library
