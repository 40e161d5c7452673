from pathlib import Path

import pytest

from sidings.node.errors import ConfigMissing, VolumeError
from sidings.node.volumes.files import File, checked_path, project, write


def test_written_files_are_links_through_one_version(tmp_path: Path) -> None:
    write(tmp_path / "v", {"a": File(b"1", 0o400), "sub/b": File(b"2")})
    assert (tmp_path / "v" / "a").read_bytes() == b"1"
    assert (tmp_path / "v" / "sub" / "b").read_bytes() == b"2"
    assert (tmp_path / "v" / "a").stat().st_mode & 0o777 == 0o400
    assert (tmp_path / "v" / "a").readlink() == Path("..data/a")


def test_a_new_version_replaces_the_old_one_whole(tmp_path: Path) -> None:
    write(tmp_path, {"a": File(b"1"), "old": File(b"x")})
    write(tmp_path, {"a": File(b"2"), "new": File(b"y")})
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("..")) == ["a", "new"]
    assert (tmp_path / "a").read_bytes() == b"2"
    assert len([path for path in tmp_path.iterdir() if path.name.startswith("..")]) == 2, "one version and ..data"


def test_items_choose_and_rename() -> None:
    chosen = project(
        {"k": b"v", "l": b"w"}, [{"key": "k", "path": "x/y", "mode": 0o600}], 0o644, optional=False, source="s"
    )
    assert chosen == {"x/y": File(b"v", 0o600)}


def test_a_missing_item_is_an_error_unless_optional() -> None:
    items = [{"key": "none", "path": "x"}]
    with pytest.raises(ConfigMissing, match="references non-existent config key: none"):
        project({}, items, 0o644, optional=False, source="configmap c")
    assert project({}, items, 0o644, optional=True, source="configmap c") == {}


@pytest.mark.parametrize("path", ["", "/abs", "..", "a/../../b"])
def test_a_path_that_leaves_the_volume_is_refused(path: str) -> None:
    with pytest.raises(VolumeError, match="invalid path"):
        checked_path(path)
