"""A pod that wants what is not its own, beside one that has something to hide.

What it tries is in ``hostile_pod``. The same attempts succeed outside of pods, or in the other pod itself: that is
checked, because an attempt that cannot succeed anywhere shows nothing.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import hostile_pod
from tests.e2e.machine import Machine, pod, wait_for
from tests.e2e.ordinary_user import ordinary_user

pytestmark = pytest.mark.e2e

SOURCE = Path(hostile_pod.__file__).read_text()
MIB = 2**20
VICTIM = """
import ctypes, os, pathlib, socket, sys, time
secret, name, key = sys.argv[1], sys.argv[2], int(sys.argv[3])
for folder in ("/scratch", "/claim", "/dev/shm", "/tmp"):
    pathlib.Path(folder, name).write_text(secret)
assert ctypes.CDLL(None).shmget(key, 4096, 0o1666) >= 0
listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0" + secret)
listener.listen()
print("hidden", flush=True)
time.sleep(3600)
"""
ANYWHERE = (
    "state_of_the_engine", "files_of_another_pod", "processes_of_others", "sockets_of_the_supervisors",
    "loopback_of_the_host", "signals", "environment_of_others",
)  # fmt: skip
"""What any process of the engine's user can do outside of pods."""
WITHIN = ("memory_of_another_pod", "abstract_socket_of_another_pod", "a_file_by_its_name", "environment_of_others")
"""What the other pod can do about its own."""
CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: mine}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
---
apiVersion: v1
kind: Secret
metadata: {name: mine}
stringData: {NAME: SECRET}
---
"""


@dataclass(frozen=True)
class Scene:
    """An engine with a pod on it that hides something."""

    machine: Machine
    known: dict[str, Any]
    """The arguments of ``hostile_pod``: whatever somebody could find out about places."""

    def outside(self, attempts: Sequence[str]) -> dict[str, str]:
        """The attempts, made by the engine's user outside of pods."""
        command = [*self.machine.run_by, sys.executable, "-c", SOURCE, json.dumps({**self.known, "attempts": attempts})]
        return _got(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def in_victim(self, attempts: Sequence[str]) -> dict[str, str]:
        arguments = json.dumps({**self.known, "attempts": attempts})
        return _got(self.machine.kubectl("exec", "victim", "--", "python3", "-c", SOURCE, arguments))

    def in_hostile_pod(self, **spec: Any) -> dict[str, str]:
        arguments = json.dumps({**self.known, "attempts": [it.__name__ for it in hostile_pod.ALL]})
        self.machine.apply(pod("hostile", ["python3", "-c", SOURCE, arguments], **spec))
        done = ended(self.machine, "hostile")
        log = self.machine.kubectl("logs", "hostile")
        assert done["status"]["phase"] == "Succeeded", log
        return _got(log)


def _got(text: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(text.rpartition("GOT ")[2])
    return found


def ended(machine: Machine, name: str) -> dict[str, Any]:
    wait_for(lambda: machine.object("pod", name)["status"].get("phase") in ("Succeeded", "Failed"))
    return machine.object("pod", name)


def scene(machine: Machine) -> Scene:
    """Start an engine and its victim."""
    machine.ok("up")
    secret, name, key = secrets.token_hex(12), f"name-{secrets.token_hex(6)}", secrets.randbelow(2**31)
    mounts = [{"name": it, "mountPath": f"/{it}"} for it in ("scratch", "claim", "secret")]
    victim = pod(
        "victim",
        ["python3", "-c", VICTIM, secret, name, str(key)],
        container={"volumeMounts": mounts, "env": [{"name": "HIDDEN", "value": secret}]},
        volumes=[
            {"name": "scratch", "emptyDir": {}},
            {"name": "claim", "persistentVolumeClaim": {"claimName": "mine"}},
            {"name": "secret", "secret": {"secretName": "mine"}},
        ],
    )
    machine.apply(CLAIM.replace("NAME", name).replace("SECRET", secret) + victim)
    wait_for(lambda: "hidden" in machine.try_kubectl("logs", "victim").stdout)
    nodes = machine.home / "nodes"
    uid = machine.object("pod", "victim")["metadata"]["uid"]
    pids = [
        json.loads(file.read_text())["pid"]
        for file in (machine.home / "engine.json", nodes / "zygote.json", nodes / "pods" / uid / "status.json")
    ]
    files = [str(file) for file in nodes.rglob(name)]
    assert len(files) >= 4, "an emptyDir, a claim, a Secret and /tmp are on disk"
    disk = machine.home.stat().st_dev
    known = {
        "home": str(machine.home), "secret": secret, "name": name, "key": key, "files": files, "pids": pids,
        "port": int(json.loads((machine.home / "engine.json").read_text())["server"].rpartition(":")[2]),
        "sockets": [str(nodes / "zygote.sock"), str(nodes / "pods" / uid / "shim.sock")],
        "disk": [os.major(disk), os.minor(disk)],
    }  # fmt: skip
    return Scene(machine, known)


@pytest.fixture(scope="module", params=["root", "user"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """For root (where root runs the tests) and for an ordinary user."""
    if request.param == "user":
        with ordinary_user() as machine:
            yield scene(machine)
        return
    if os.geteuid() != 0:
        pytest.skip("only root can try root's sandboxes")
    machine = Machine(tmp_path_factory.mktemp("root"))
    try:
        yield scene(machine)
    finally:
        machine.sidings("down", "--force")


def test_the_attempts_are_worth_something(played: Scene) -> None:
    assert played.outside(ANYWHERE).keys() == set(ANYWHERE)
    assert played.in_victim(WITHIN).keys() == set(WITHIN)


def test_a_hostile_pod_gets_nothing(played: Scene) -> None:
    assert played.in_hostile_pod() == {}
    played.machine.kubectl("delete", "pod", "hostile", "--now")
    assert played.in_victim(["memory_of_another_pod"]), "the other pod lives and has what it had"


@pytest.mark.parametrize("path", ["HOME", "HOME/nodes", "LINK", "/proc", "/proc/1/root", "/sys"])
def test_a_host_path_that_leads_to_others_is_refused(played: Scene, path: str) -> None:
    link = played.machine.folder / "link"
    if not link.is_symlink():
        link.symlink_to(played.machine.home)
    path = path.replace("HOME", str(played.machine.home)).replace("LINK", str(link))
    machine, volumes = played.machine, [{"name": "v", "hostPath": {"path": path}}]
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    name = f"mounting-{secrets.token_hex(4)}"
    machine.apply(pod(name, "ls /v", container=mounts, volumes=volumes))
    assert "is refused" in machine.event("Pod", name, "FailedMount")
    machine.kubectl("delete", "pod", name, "--now")


def test_the_whole_host_mounted_shows_neither_state_nor_processes(played: Scene) -> None:
    machine = played.machine
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v", "readOnly": True}]}
    script = f"ls -A /v/usr | head -n 1; ls -A /v{machine.home} /v/proc /v/sys; true"
    machine.apply(pod("host", script, container=mounts, volumes=[{"name": "v", "hostPath": {"path": "/"}}]))
    assert ended(machine, "host")["status"]["phase"] == "Succeeded"
    [some_program_folder, *shown] = machine.kubectl("logs", "host").split()
    machine.kubectl("delete", "pod", "host", "--now")
    assert some_program_folder
    assert sorted(shown) == sorted(["/v/proc:", "/v/sys:", f"/v{machine.home}:"]), "all three are empty"


@pytest.mark.parametrize("sub_path", ["home", "link-home", "link-proc"])
def test_no_sub_path_of_a_host_path_leads_to_others(played: Scene, sub_path: str) -> None:
    """The state lies below a folder that pods may mount, and they may put links there."""
    machine = played.machine
    for target in ("home", "../../../../proc"):
        link = machine.folder / f"link-{Path(target).name}"
        if not link.is_symlink():
            link.symlink_to(target)
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v", "subPath": sub_path}]}
    volumes = [{"name": "v", "hostPath": {"path": str(machine.home.parent)}}]
    name = f"below-{sub_path}"
    machine.apply(pod(name, "find /v -maxdepth 2", container=mounts, volumes=volumes))
    wait_for(lambda: _is_over(machine, name))
    assert "kubeconfig" not in machine.try_kubectl("logs", name).stdout
    assert machine.event("Pod", name, "Failed")
    machine.kubectl("delete", "pod", name, "--now")


def test_a_link_in_a_volume_leads_no_sub_path_to_the_host(played: Scene) -> None:
    machine = played.machine
    mounts = [{"name": "v", "mountPath": "/v"}]
    script = f"ln -s {machine.home} /v/state; ln -s / /v/root; ln -s ../../../.. /v/up"
    first = {"name": "first", "image": "python", "command": ["/bin/sh", "-c", script], "volumeMounts": mounts}
    for number, sub_path in enumerate(("state", f"root{machine.home}", "up/nodes")):
        name = f"link-{number}"
        mounted = {"volumeMounts": [{"name": "v", "mountPath": "/got", "subPath": sub_path}]}
        volumes = [{"name": "v", "emptyDir": {}}]
        machine.apply(pod(name, "find /got", container=mounted, initContainers=[first], volumes=volumes))
        wait_for(lambda name=name: bool(machine.reasons("Pod", name)) and _is_over(machine, name))
        log = machine.try_kubectl("logs", name, "-c", "main").stdout
        assert "kubeconfig" not in log and "pods" not in log
        machine.kubectl("delete", "pod", name, "--now")


def _is_over(machine: Machine, name: str) -> bool:
    """Ended, or refused for good."""
    status = machine.object("pod", name)["status"]
    waiting = [it["state"].get("waiting", {}).get("reason") for it in status.get("containerStatuses") or ()]
    return status.get("phase") in ("Succeeded", "Failed") or "CreateContainerError" in waiting


def test_a_fork_bomb_ends_by_itself(played: Scene) -> None:
    machine = played.machine
    # 8,192 at most, so that a limit that fails takes the test with it and not the machine.
    bomb = "import os, time\nfor _ in range(13):\n    os.fork()\ntime.sleep(600)"
    machine.apply(pod("bomb", ["python3", "-c", bomb], container={"resources": {"limits": {"memory": "64Mi"}}}))
    assert ended(machine, "bomb")["status"]["phase"] == "Failed"
    assert played.in_victim(["memory_of_another_pod"]), "the other pod goes on"
    machine.kubectl("delete", "pod", "bomb", "--now")


def test_endless_output_takes_no_more_disk_than_the_logs_may(played: Scene) -> None:
    machine = played.machine
    machine.apply(pod("loud", "head -c 60000000 /dev/zero | tr '\\0' x | fold -w 200"))
    assert ended(machine, "loud")["status"]["phase"] == "Succeeded"
    uid = machine.object("pod", "loud")["metadata"]["uid"]
    size = sum(file.stat().st_size for file in (machine.home / "nodes" / "pods" / uid / "logs").rglob("*.log*"))
    assert size <= 51 * MIB
    assert machine.kubectl("logs", "loud", "--tail=1").strip() == "x" * 200
    machine.kubectl("delete", "pod", "loud", "--now")


def test_who_fills_the_disk_is_evicted(played: Scene) -> None:
    machine = played.machine
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    limits = {"resources": {"limits": {"ephemeral-storage": "2Mi"}}}
    fill = "head -c 4000000 /dev/zero > {}; sleep 60"
    small = [{"name": "v", "emptyDir": {"sizeLimit": "1Mi"}}]
    machine.apply(pod("volume", fill.format("/v/x"), container=mounts, volumes=small))
    machine.apply(pod("layer", fill.format("/tmp/x"), container=limits))
    for name, message in (
        ("volume", 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". '),
        ("layer", "Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. "),
    ):
        status = ended(machine, name)["status"]
        assert (status["reason"], status["message"]) == ("Evicted", message)
    machine.kubectl("delete", "pod", "volume", "layer", "--now")
