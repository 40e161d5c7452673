from pathlib import Path

import pytest

from sidings.node.errors import VolumeError
from sidings.node.volumes.host_path import source


def test_a_missing_path_without_a_type_is_made(tmp_path: Path) -> None:
    assert source({"path": str(tmp_path / "a" / "b")}, []) == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()


def test_types_are_checked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert source({"path": str(tmp_path / "file"), "type": "File"}, []) == tmp_path / "file"
    assert source({"path": str(tmp_path / "made"), "type": "FileOrCreate"}, []).is_file()
    for path, kind in (("file", "Directory"), ("none", "Directory"), ("none", "File"), ("file", "Socket")):
        with pytest.raises(VolumeError, match="hostPath type check failed"):
            source({"path": str(tmp_path / path), "type": kind}, [])


@pytest.mark.parametrize("path", ["/etc/../root", "relative"])
def test_paths_that_are_not_plain_are_refused(path: str) -> None:
    with pytest.raises(VolumeError, match="refused"):
        source({"path": path}, [])


def test_what_is_hidden_from_pods_is_refused_also_through_a_link(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (tmp_path / "link").symlink_to(state)
    for path in (state, state / "pods", tmp_path / "link"):
        with pytest.raises(VolumeError) as refused:
            source({"path": str(path)}, [state])
        assert refused.value.cause == f"{state} is hidden from pods"


@pytest.mark.parametrize("path", ["/proc", "/proc/1/root", "/sys/fs/cgroup"])
def test_what_shows_the_kernel_and_other_processes_is_refused(path: str) -> None:
    with pytest.raises(VolumeError, match="refused"):
        source({"path": path}, [])


def test_a_path_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(VolumeError) as refused:
        source({"path": str(tmp_path / "file" / "below")}, [])
    assert refused.value.cause == "Not a directory"
