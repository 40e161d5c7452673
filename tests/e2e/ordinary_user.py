"""Somebody who is not root, for tests: where root runs them, nobody takes over.

What nobody may not enter, such as an interpreter in root's home, is shown at its own place in a mount namespace made
for each command.
"""

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.machine import MANIFESTS, Machine

NOBODY = 65534
NEEDED = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), MANIFESTS.parents[2]}
"""The interpreter, its packages and this project."""


@contextmanager
def ordinary_user() -> Iterator[Machine]:
    """A user with a folder of its own (pytest's is closed to others); the test is skipped where none can be made."""
    if os.geteuid() == 0 and not (shutil.which("setpriv") and shutil.which("unshare")):
        pytest.skip("setpriv and unshare make an ordinary user of root")
    with tempfile.TemporaryDirectory(prefix="sidings-test-") as name:
        folder = Path(name)
        run_by: list[str] = []
        if os.geteuid() == 0:
            run_by = becoming_nobody(folder)
            os.chown(folder, NOBODY, NOBODY)
        it = Machine(folder, run_by=run_by)
        try:
            yield it
        finally:
            it.sidings("down", "--force")


def becoming_nobody(folder: Path) -> list[str]:
    """The beginning of a command line: what follows runs as nobody, who sees all that is needed."""
    hidden = {path: within for path in NEEDED if (within := closed(path)) is not None}
    places = {shlex.quote(str(path)): shlex.quote(f"{folder}/.shown-{n}") for n, path in enumerate(sorted(hidden))}
    lines = [
        *(f"mkdir -p {kept} && mount --bind {path} {kept}" for path, kept in places.items()),
        *(f"mount -t tmpfs -o mode=755 tmpfs {shlex.quote(str(within))}" for within in set(hidden.values())),
        *(f"mkdir -p {path} && mount --move {kept} {path}" for path, kept in places.items()),
        f'exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups "$@"',
    ]
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", " && ".join(lines), "sh"]


def closed(path: Path) -> Path | None:
    """The outermost folder above ``path`` that others may not enter."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)
