"""Where state is kept: a disk that fills up, and places where no state can live."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, pod, wait_for

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="only root can mount file systems"),
]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Machine]:
    """A user whose state has a file system of its own, of 16 MB."""
    it = Machine(tmp_path)
    it.home.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "tmpfs", str(it.home)], check=True)
    try:
        yield it
    finally:
        it.sidings("down", "--force")
        subprocess.run(["umount", str(it.home)], check=True)


def fill(folder: Path) -> Path:
    """Take the last byte of a file system."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue
    return filler


def test_a_full_disk_is_told_and_survived(small: Machine) -> None:
    small.ok("up")
    small.kubectl("create", "configmap", "before", "--from-literal=a=b")
    small.apply(pod("counts", "i=0; while true; do echo $i; i=$((i+1)); sleep 0.1; done"))
    wait_for(lambda: "3\n" in small.try_kubectl("logs", "counts").stdout)
    engine = small.engine_pid()

    filler = fill(small.home)
    large = f"--from-literal=a={'x' * 10_000}"
    for attempt in range(3):
        refused = small.refused("create", "configmap", f"during-{attempt}", large)
        assert f"no space left for {small.home}/objects.db" in refused
        assert f"df -h {small.home}" in refused
    assert "before" in small.kubectl("get", "configmaps"), "reading goes on"
    assert " Running " in small.kubectl("get", "pod", "counts")
    assert small.ok("status")

    filler.unlink()
    small.kubectl("create", "configmap", "after", large)
    small.apply(pod("after", "echo there is room"))
    small.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/after", "--timeout=180s")
    names = [it["metadata"]["name"] for it in small.objects("configmaps") if it["metadata"]["namespace"] == "default"]
    assert names == ["after", "before", "kube-root-ca.crt"], "nothing acknowledged is lost, nothing refused is there"
    assert small.engine_pid() == engine
    assert " Running " in small.kubectl("get", "pod", "counts")


def test_an_engine_that_starts_on_a_full_disk_says_so_and_starts_when_there_is_room(small: Machine) -> None:
    small.ok("up")
    small.kubectl("create", "configmap", "kept", "--from-literal=a=b")
    small.ok("down")
    filler = fill(small.home)
    refused = small.sidings("up")
    assert refused.returncode == 1
    assert "space left" in refused.stderr
    assert f"df -h {small.home}" in refused.stderr
    filler.unlink()
    small.ok("up")
    assert small.kubectl("get", "configmap", "kept", "-o", "name") == "configmap/kept\n"


def test_a_home_on_a_shared_file_system_is_refused(machine: Machine) -> None:
    """No NFS server is at hand: the process is shown a mount table in which its home is on one."""
    machine.home.mkdir()
    table = machine.folder / "mountinfo"
    entry = f"999 1 0:99 / {machine.home} rw,relatime - nfs4 server:/export/home rw,vers=4.2\n"
    table.write_text(Path("/proc/self/mountinfo").read_text() + entry)
    script = f'mount --bind {table} /proc/$$/mountinfo && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", script, "sh", sys.executable, "-m", "sidings", "up", "--foreground"]
    done = subprocess.run(command, env=machine.environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"error[STORE_FILE_SYSTEM]: {machine.home} is on a nfs4 file system" in done.stderr
    assert "help: choose a local disk: export SIDINGS_HOME=/var/tmp/$USER/sidings" in done.stderr
    assert list(machine.home.iterdir()) == [], "nothing is written there"
