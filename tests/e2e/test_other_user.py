"""Another user of this machine: nothing of an engine that is not theirs can be read, entered or asked."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidings.client import kubeconfig
from tests.e2e.machine import Machine, pod

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can become another user (setpriv)"
    ),
]
SECRET = "what the pod wrote"
LOOK = """
import os, socket, stat, sys
home = sys.argv[1]
def tried(path):
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            return os.listdir(path)
        with open(path, "rb") as file:
            return file.read(1)
    except PermissionError:
        return None
found = [path for path in sys.argv[1:] if tried(path) is not None]
for line in open("/proc/net/unix").read().splitlines()[1:]:
    name = line.split()[-1]
    if home in name:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
            try:
                door.connect("\\0" + name[1:] if name.startswith("@") else name)
            except OSError:
                continue
            found.append(name)
print("\\n".join(found))
"""


@pytest.fixture
def owner() -> Iterator[Machine]:
    """An engine in a folder whose parents everybody may enter, so that its own modes are what keeps others out."""
    with tempfile.TemporaryDirectory(prefix="sidings-test-") as name:
        Path(name).chmod(0o755)
        it = Machine(Path(name))
        try:
            yield it
        finally:
            it.sidings("down", "--force")


def test_another_user_reads_and_enters_nothing(owner: Machine) -> None:
    owner.ok("up")
    volumes = [{"name": "v", "emptyDir": {}}]
    mount = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    owner.apply(pod("writes", f"echo {SECRET} | tee /v/file; sleep 600", container=mount, volumes=volumes))
    owner.wait_for_condition("Ready", "pod/writes")
    files = [path for path in owner.home.rglob("*") if path.is_file()]
    assert any(path.name == "file" for path in files), "the pod's volume is among what is tried"
    tried = [str(owner.home), *(str(path) for path in files)]
    environ = [f"/proc/{owner.engine_pid()}/{name}" for name in ("environ", "fd", "root", "cwd")]
    other = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "/usr/bin/python3", "-c", LOOK)
    done = subprocess.run((*other, *tried, *environ), capture_output=True, text=True, cwd="/", check=True)
    assert done.stdout.strip() == ""


def test_another_user_is_answered_nothing_but_health(owner: Machine) -> None:
    owner.ok("up", "--nodes", "0")
    server = kubeconfig.load([owner.home / "kubeconfig"]).server
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with urllib.request.urlopen(f"{server}/readyz", context=context) as answer:
        assert answer.read() == b"ok"
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{server}/api/v1/secrets", context=context)
    assert caught.value.code == 401
    caught.value.close()
