"""Which file system is full, and what is done about it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sidings.answers.surroundings import Surroundings
from sidings.answers.why import full_disk
from sidings.api.objects import Object
from tests.answers.objects import job, pod

CLAIM: Object = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "ckpt", "namespace": "ns"},
    "spec": {"resources": {"requests": {"storage": "10Gi"}}},
}
MOUNTS = [{"name": "work", "mountPath": "/work"}, {"name": "cache", "mountPath": "/work/cache/"}]
VOLUMES = [
    {"name": "work", "persistentVolumeClaim": {"claimName": "ckpt"}},
    {"name": "cache", "emptyDir": {"sizeLimit": "1Gi"}},
]
CONTAINER: Object = {"name": "c", "image": "i", "volumeMounts": MOUNTS}
GROWN = 'kubectl patch pvc ckpt -n ns --type=merge -p \'{"spec": {"resources": {"requests": {"storage": "20Gi"}}}}\''


def remedy(line: str, runtime: str = "containerd://2.1", claims: tuple[Object, ...] = (CLAIM,)) -> str:
    owner = job(None, name="j")
    owner["spec"]["template"] = {"spec": {"containers": [CONTAINER], "volumes": VOLUMES}}
    made = pod(owner, 0, "Failed", node="n")
    made["spec"] |= {"containers": [CONTAINER], "volumes": VOLUMES}
    node: Object = {"metadata": {"name": "n"}, "status": {"nodeInfo": {"containerRuntimeVersion": runtime}}}
    around = Surroundings(datetime(2026, 1, 1, tzinfo=UTC), {"Node": [node], "PersistentVolumeClaim": list(claims)})
    return full_disk.remedy(owner, made, CONTAINER, line, around)


@pytest.mark.parametrize(
    ("path", "begin"),
    [
        ("/work/step-3.pt", GROWN),
        ("/work/cache/x", "kubectl patch job j -n ns --type=json"),
        ("/work/cached", GROWN),
        ("/tmp/x", ""),
    ],
)
def test_the_innermost_mount_counts(path: str, begin: str) -> None:
    found = remedy(f"OSError: [Errno 28] No space left on device: '{path}'")
    assert found.startswith(begin)
    assert bool(found) is bool(begin)


def test_a_directory_of_the_pod_is_made_larger() -> None:
    step = '{"op": "replace", "path": "/spec/template/spec/volumes/1/emptyDir/sizeLimit", "value": "2Gi"}'
    assert step in remedy("No space left on device: '/work/cache/x'")
    assert step in remedy("No space left on device: '/work/cache/x'", runtime="sidings://1")


@pytest.mark.parametrize("runtime", ["sidings://0.1.0", "podman://4.3.1"])
@pytest.mark.parametrize("line", ["No space left on device", "No space left on device: '/work/x'"])
def test_on_this_machine_the_disk_is_looked_at(runtime: str, line: str) -> None:
    assert remedy(line, runtime=runtime) == "sidings doctor"


def test_what_is_not_known_has_no_command() -> None:
    assert remedy("RuntimeError: No space left on device") == ""
    assert remedy("No space left on device: '/work/x'", claims=()) == ""
