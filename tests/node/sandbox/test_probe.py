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
from sidings.node.sandbox.tier import Choice
client = SandboxClient(Path(sys.argv[1]), wanted=Choice(sys.argv[2]))
try:
    client.start_zygote()
    print(client.tier.reason, "|", client.tier.refused)
except SandboxUnavailable as refused:
    print(refused.code, "|", refused.cause, "|", refused.remedy)
"""


async def test_a_zygote_that_serves_has_built_a_root_and_left_nothing_of_it(sandbox: Sandboxes) -> None:
    assert not (sandbox.directory / "probe").exists()


@pytest.fixture
def refusing(state_dir: Path) -> list[str]:
    """The beginning of a command line: what follows is root without CAP_SYS_ADMIN, in a user namespace that may make
    no further ones, as in many containers."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("takes a capability away from root, with setpriv")
    (state_dir / "shm").mkdir(parents=True)
    script = 'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set -sys_admin "$@"'
    return [
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


def start(command: list[str], state_dir: Path, choice: str) -> list[str]:
    done = subprocess.run(
        [*command, sys.executable, "-c", _START, str(state_dir), choice], capture_output=True, text=True, timeout=120
    )
    assert done.stdout, done.stderr
    return done.stdout.strip().split(" | ")


def test_a_machine_that_refuses_namespaces_is_said_with_a_remedy(refusing: list[str], state_dir: Path) -> None:
    """Where a user insists on them."""
    code, cause, remedy = start(refusing, state_dir, "namespaces")
    assert (code, cause.split(":")[0].startswith("unshare")) == ("SANDBOX_UNAVAILABLE", True)
    assert remedy.startswith("sidings doctor")
    assert leftovers(state_dir) == []


def test_otherwise_pods_stand_on_the_machine_itself(refusing: list[str], state_dir: Path) -> None:
    tier, refused = start(refusing, state_dir, "auto")
    assert tier in ("HostWithLibrary", "HostEnvironment")
    assert refused.startswith("unshare")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")
def test_a_full_disk_is_no_refusal_of_the_machine(state_dir: Path) -> None:
    state_dir.mkdir()
    script = 'mount -t tmpfs -o size=16k tmpfs "$4"; mkdir "$4/shm"; cat /dev/zero > "$4/filler"; exec "$@"'
    code, cause, remedy = start(["unshare", "--mount", "sh", "-c", script, "sh"], state_dir, "auto")
    assert (code, remedy) == ("SANDBOX_UNAVAILABLE", f"df -h {state_dir}")
    assert cause.endswith("No space left on device")
    assert leftovers(state_dir) == []
