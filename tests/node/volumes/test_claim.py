from pathlib import Path

import pytest

from sidings.node.errors import VolumeError
from sidings.node.volumes import claim


def _volume(path: Path) -> dict:  # type: ignore[type-arg]
    return {"metadata": {"name": "pv"}, "spec": {"hostPath": {"path": str(path)}}}


def test_a_claims_directory_is_made_although_state_is_secret(tmp_path: Path) -> None:
    root = tmp_path / "claims"
    assert claim.source(_volume(root / "ns_c_1"), root, [tmp_path]) == root / "ns_c_1"
    assert (root / "ns_c_1").is_dir()


def test_a_volume_made_by_hand_may_not_name_a_secret(tmp_path: Path) -> None:
    with pytest.raises(VolumeError, match="refused"):
        claim.source(_volume(tmp_path / "claims" / ".." / "pods"), tmp_path / "claims", [tmp_path])


def test_a_volume_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VolumeError, match="neither hostPath nor local"):
        claim.source({"metadata": {"name": "pv"}, "spec": {"nfs": {}}}, tmp_path, [])


def test_files_go_with_their_claim_only(tmp_path: Path) -> None:
    for name in ("ns_a_1", "ns_b_2", "ns_c_3"):
        (tmp_path / name / "deep").mkdir(parents=True)
    claim.remove(tmp_path, "1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ns_b_2", "ns_c_3"]
    claim.sweep(tmp_path, {"3"})
    assert [path.name for path in tmp_path.iterdir()] == ["ns_c_3"]
    claim.sweep(tmp_path / "absent", {"3"})
