"""The S3 in the box through a real engine: a pod of any namespace reaches it with its data connection alone."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, pod, wait_for

pytestmark = pytest.mark.e2e

ROUND_TRIP = """python3 -c '
import os, obstore
from obstore.store import S3Store
e = os.environ
store = S3Store(
    e["AWS_S3_BUCKET"], endpoint=e["AWS_S3_ENDPOINT"], region=e["AWS_DEFAULT_REGION"],
    access_key_id=e["AWS_ACCESS_KEY_ID"], secret_access_key=e["AWS_SECRET_ACCESS_KEY"],
    client_options={"allow_http": True},
)
obstore.put(store, "from/pod.txt", b"written")
print(bytes(obstore.get_range(store, "by/hand.txt", start=3, length=4)).decode())
'"""
CONNECTION = {"envFrom": [{"secretRef": {"name": "s3"}}]}


def processes(folder: Path) -> list[int]:
    """Of the S3 server of this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if b"sidings.s3" in words and str(folder).encode() in words:
            found.append(int(path.parent.name))
    return found


def test_pods_read_and_write_a_folder_through_their_data_connection(machine: Machine, tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    folder = tmp_path / "buckets"
    (folder / "data" / "by").mkdir(parents=True)
    (folder / "data" / "by" / "hand.txt").write_text("by hand")
    machine.ok("up", "--s3", "--s3-folder", str(folder))
    machine.kubectl("create", "namespace", "team")
    wait_for(lambda: machine.try_kubectl("get", "secret", "s3", "-n", "team").returncode == 0)
    machine.kubectl("apply", "-n", "team", "-f", "-", stdin=pod("one", ROUND_TRIP, container=CONNECTION))
    machine.kubectl("wait", "-n", "team", "--for=jsonpath={.status.phase}=Succeeded", "pod/one", "--timeout=180s")
    assert machine.kubectl("logs", "-n", "team", "one").strip() == "hand"
    assert (folder / "data" / "from" / "pod.txt").read_text() == "written"

    [server] = processes(folder)
    os.kill(server, signal.SIGKILL)
    wait_for(lambda: bool(set(processes(folder)) - {server}))
    again = pod("two", ROUND_TRIP, container=CONNECTION)
    machine.apply(again)
    machine.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/two", "--timeout=180s")

    os.kill(machine.engine_pid(), signal.SIGKILL)
    wait_for(lambda: not processes(folder))
    machine.ok("up")  # remembers
    assert len(processes(folder)) == 1
    machine.ok("down", "--force")
    assert processes(folder) == []


def test_a_folder_that_cannot_be_served_is_named(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = machine.sidings("up", "--s3", "--s3-folder", str(tmp_path / "file"))
    assert done.returncode != 0
    assert f"--s3-folder {tmp_path}/file cannot be served" in done.stderr
    assert "sidings up --no-s3" in done.stderr
