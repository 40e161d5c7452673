"""Small libraries that are compiled at their first use and kept in the agent's state directory.

Compiled here rather than shipped: a wheel without binaries runs on every architecture and libc. The file's name holds
the hash of its source, so a new version is compiled anew.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

COMPILERS = ("cc", "gcc", "clang")


class CannotCompile(Exception):
    """The text says why: no compiler, or the compiler's own words."""


def file_in(folder: Path, source: Path) -> Path:
    """Where the library of this version of ``source`` lies below ``folder``, compiled or not."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    return folder / f"{source.stem}-{digest}.so"


def ensure(folder: Path, source: Path) -> Path:
    """The library made of ``source``, compiled if it is not there yet (0.1-0.5 s). Raises ``CannotCompile``."""
    library = file_in(folder, source)
    if library.exists():
        return library
    compiler = next((found for name in COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        raise CannotCompile(f"no C compiler ({', '.join(COMPILERS)})")
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{library.name}.{os.getpid()}"
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(fresh), str(source), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotCompile(f"{compiler} failed: {done.stderr.strip()}")
    fresh.chmod(0o755)
    fresh.replace(library)
    return library
