from pathlib import Path
from typing import Any

import pytest

from sidings.node.environment import NodeFacts
from sidings.node.errors import VolumeError
from sidings.node.sandbox.spec import Bind, MemoryVolume
from sidings.node.sources import Sources
from sidings.node.volumes.mounting import Inputs, Mounted, PodVolumes, binds, materialise
from tests.node.pods import container, pod

FACTS = NodeFacts({"status.podIP": "10.244.1.2"}, {"cpu": "8"}, False, 2)
SOURCES = Sources({"settings": {"data": {"a": "1"}, "binaryData": {"b": "AAE="}}}, {"keys": {"data": {"k": "dg=="}}})


def _made(tmp_path: Path, *volumes: dict[str, Any], **inputs: Any) -> PodVolumes:
    made = pod(volumes=list(volumes), metadata={"labels": {"x": 'a"b'}})
    return materialise(made, Inputs(SOURCES, **inputs), FACTS, tmp_path / "v", tmp_path / "claims", [tmp_path])


def test_keys_become_read_only_files(tmp_path: Path) -> None:
    volumes = _made(
        tmp_path,
        {"name": "c", "configMap": {"name": "settings"}},
        {"name": "s", "secret": {"secretName": "keys", "defaultMode": 0o400}},
        {"name": "d", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
    )
    assert all(mounted.read_only for mounted in volumes.mounted.values())
    read = {name: mounted.source for name, mounted in volumes.mounted.items()}
    assert (read["c"] / "a").read_text() == "1"
    assert (read["c"] / "b").read_bytes() == b"\0\1"
    assert (read["s"] / "k").read_text() == "v"
    assert (read["s"] / "k").stat().st_mode & 0o777 == 0o400
    assert (read["d"] / "labels").read_text() == 'x="a\\"b"'


def test_projected_puts_sources_together(tmp_path: Path) -> None:
    sources = [
        {"configMap": {"name": "settings", "items": [{"key": "a", "path": "one"}]}},
        {"secret": {"name": "keys"}},
        {"downwardAPI": {"items": [{"path": "ip", "fieldRef": {"fieldPath": "status.podIP"}}]}},
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
    ]
    volumes = _made(tmp_path, {"name": "p", "projected": {"sources": sources}}, tokens={("", 3607): "jwt"})
    folder = volumes.mounted["p"].source
    assert [(folder / name).read_text() for name in ("one", "k", "ip", "token")] == ["1", "v", "10.244.1.2", "jwt"]


def test_empty_directories_are_writable_by_all_and_may_be_memory(tmp_path: Path) -> None:
    volumes = _made(
        tmp_path, {"name": "e", "emptyDir": {}}, {"name": "m", "emptyDir": {"medium": "Memory", "sizeLimit": "16Mi"}}
    )
    assert volumes.mounted["e"].source.stat().st_mode & 0o777 == 0o777
    assert volumes.memory == (MemoryVolume(str(volumes.mounted["m"].source), 16 * 1024 * 1024),)


def test_a_claim_is_its_volumes_directory(tmp_path: Path) -> None:
    volume = {"metadata": {"name": "pv"}, "spec": {"hostPath": {"path": str(tmp_path / "claims" / "x")}}}
    wanted = {"name": "d", "persistentVolumeClaim": {"claimName": "c", "readOnly": True}}
    assert _made(tmp_path, wanted, claims={"c": volume}).mounted["d"] == Mounted(tmp_path / "claims" / "x", True)


@pytest.mark.parametrize(
    ("volume", "message"),
    [
        ({"configMap": {"name": "none"}}, 'MountVolume.SetUp failed for volume "v" : configmap "none" not found'),
        ({"secret": {"secretName": "none"}}, 'MountVolume.SetUp failed for volume "v" : secret "none" not found'),
        ({"nfs": {"server": "x"}}, 'volume "v" has an unsupported type: nfs'),
    ],
)
def test_what_cannot_be_mounted_says_so(tmp_path: Path, volume: dict[str, Any], message: str) -> None:
    with pytest.raises(VolumeError) as refused:
        _made(tmp_path, {"name": "v", **volume})
    assert refused.value.what == message


def test_optional_sources_may_be_absent(tmp_path: Path) -> None:
    volumes = _made(tmp_path, {"name": "v", "configMap": {"name": "none", "optional": True}})
    assert [path for path in volumes.mounted["v"].source.iterdir() if not path.name.startswith("..")] == []


VOLUMES = PodVolumes({"v": Mounted(Path("/s")), "r": Mounted(Path("/r"), read_only=True)})


def test_binds_follow_mounts() -> None:
    mounts = [
        {"name": "v", "mountPath": "/data"},
        {"name": "r", "mountPath": "/conf/", "subPath": "a/b"},
        {"name": "v", "mountPath": "rel", "readOnly": True, "subPathExpr": "$(X)/y"},
        {"name": "v", "mountPath": "/dev/shm"},
    ]
    assert binds(container(volumeMounts=mounts), VOLUMES, {"X": "z"}) == (
        Bind("/s", "/data", read_only=False),
        Bind("/r", "/conf", read_only=True, sub_path="a/b"),
        Bind("/s", "/rel", read_only=True, sub_path="z/y"),
    )


@pytest.mark.parametrize(
    "field", [{"subPath": "../x"}, {"subPath": "/x"}, {"subPathExpr": "$(UP)"}, {"subPathExpr": "$(NO)"}]
)
def test_a_sub_path_that_leaves_its_volume_is_refused(field: dict[str, str]) -> None:
    mount = {"name": "v", "mountPath": "/data", **field}
    with pytest.raises(VolumeError, match=r"subPath"):
        binds(container(volumeMounts=[mount]), VOLUMES, {"UP": "a/../.."})
