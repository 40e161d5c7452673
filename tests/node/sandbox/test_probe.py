"""The zygote finds out by doing; a machine that refuses is told at once, with the reason."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node.sandboxes import Sandboxes, leftovers

_START = """
import sys
from pathlib import Path
from sidings.node.errors import SandboxUnavailable
from sidings.node.sandbox.client import SandboxClient
try:
    SandboxClient(Path(sys.argv[1])).start_zygote()
except SandboxUnavailable as refused:
    print(refused.code, "|", refused.cause, "|", refused.remedy)
"""


async def test_a_zygote_that_serves_has_built_a_root_and_left_nothing_of_it(sandbox: Sandboxes) -> None:
    assert not (sandbox.directory / "probe").exists()


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="takes a capability away from root")
def test_a_machine_that_refuses_namespaces_is_said_with_a_remedy(state_dir: Path) -> None:
    """Root without CAP_SYS_ADMIN, in a user namespace that may make no further ones: as in many containers."""
    (state_dir / "shm").mkdir(parents=True)
    script = 'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set -sys_admin "$@"'
    command = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "--pid",
        "--fork",
        "--mount-proc",
        "sh",
        "-c",
        script,
        "sh",
    ]
    done = subprocess.run(
        [*command, sys.executable, "-c", _START, str(state_dir)],
        capture_output=True,
        text=True,
        timeout=30,
    )
    code, cause, remedy = done.stdout.strip().split(" | ")
    assert (code, cause.split(":")[0].startswith("unshare")) == ("SANDBOX_UNAVAILABLE", True)
    assert remedy.startswith("sidings doctor")
    assert leftovers(state_dir) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")
def test_a_full_disk_is_no_refusal_of_the_machine(state_dir: Path) -> None:
    state_dir.mkdir()
    script = 'mount -t tmpfs -o size=16k tmpfs "$4"; mkdir "$4/shm"; cat /dev/zero > "$4/filler"; exec "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", sys.executable, "-c", _START, str(state_dir)],
        capture_output=True,
        text=True,
        timeout=30,
    )
    code, cause, remedy = done.stdout.strip().split(" | ")
    assert (code, remedy) == ("SANDBOX_UNAVAILABLE", f"df -h {state_dir}"), done.stderr
    assert cause.endswith("No space left on device")
    assert leftovers(state_dir) == []
