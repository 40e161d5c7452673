"""Who owns files afterwards; as an ordinary user with the one group that he has."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sidings.node import ownership

GROUP = os.getgid() if os.geteuid() else 3000


def _seen(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_gid, stat.S_IMODE(found.st_mode)


def _volume(folder: Path) -> Path:
    volume = folder / "volume"
    (volume / "sub").mkdir(parents=True, mode=0o755)
    for path, mode in ((volume / "a", 0o600), (volume / "sub" / "b", 0o755)):
        path.touch()
        path.chmod(mode)
    (volume / "link").symlink_to("/etc/passwd")
    return volume


def test_a_volume_is_its_groups_to_read_and_write(tmp_path: Path) -> None:
    volume = _volume(tmp_path)
    before = Path("/etc/passwd").stat()
    ownership.share(volume, GROUP, read_only=False)
    assert _seen(volume) == (GROUP, 0o2775)
    assert _seen(volume / "a") == (GROUP, 0o660)
    assert _seen(volume / "sub" / "b") == (GROUP, 0o775)
    after = Path("/etc/passwd").stat()
    assert (before.st_gid, before.st_mode) == (after.st_gid, after.st_mode), "a link leads out of the volume"


def test_a_read_only_volume_is_its_groups_to_read(tmp_path: Path) -> None:
    volume = _volume(tmp_path)
    ownership.share(volume, GROUP, read_only=True)
    assert _seen(volume / "a") == (GROUP, 0o640)


def test_on_root_mismatch_a_volume_that_is_right_is_left_alone(tmp_path: Path) -> None:
    volume = _volume(tmp_path)
    ownership.share(volume, GROUP, read_only=False, policy=ownership.ON_ROOT_MISMATCH)
    (volume / "a").chmod(0o600)
    ownership.share(volume, GROUP, read_only=False, policy=ownership.ON_ROOT_MISMATCH)
    assert _seen(volume / "a")[1] == 0o600


def test_directories_are_given_away(tmp_path: Path) -> None:
    ownership.give([tmp_path], os.getuid(), GROUP)
    assert _seen(tmp_path)[0] == GROUP
