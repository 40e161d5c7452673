"""The whole stack as somebody who is not root: the same sandboxes, out of user namespaces.

Where root runs the tests, nobody takes this one over. What nobody may not enter, such as an interpreter in root's home,
is shown at its own place in a mount namespace made for each command.
"""

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.machine import MANIFESTS, POC, Machine, manifest, pod
from tests.e2e.test_all_reduce import sums

pytestmark = pytest.mark.e2e

NOBODY = 65534
NEEDED = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), MANIFESTS.parents[2]}
"""The interpreter, its packages and this project."""


def closed(path: Path) -> Path | None:
    """The outermost folder above ``path`` that others may not enter."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)


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


@pytest.fixture
def user() -> Iterator[Machine]:
    """A user other than root; pytest's own folder is closed to others."""
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


def test_training_without_root(user: Machine) -> None:
    user.ok("up", "--nodes", "2", "--gpus-per-node", "1", "--simulate-gpus")
    assert Path(f"/proc/{user.engine_pid()}").stat().st_uid != 0
    for node in user.objects("nodes"):
        assert "FullNamespaces" in [condition.get("reason") for condition in node["status"]["conditions"]]

    user.apply(manifest("trainjob"))
    user.wait_for_condition("Complete", "trainjob/pytorch-trainer-validation", "-n", POC)
    assert sums(user, "pytorch-trainer-validation") == [(0, 2, 1.0), (1, 2, 1.0)]

    user.apply(pod("curious", f"hostname; id -u; cat {user.home}/kubeconfig 2>/dev/null || echo hidden"))
    user.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/curious", "--timeout=60s")
    assert user.kubectl("logs", "curious") == "curious\n0\nhidden\n"
    user.ok("down")
    assert user.leftovers() == []
