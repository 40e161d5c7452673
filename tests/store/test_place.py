"""Directories that are unfit for state are refused with the reason and a command that helps."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sidings.store import place
from sidings.store.errors import Corrupt, ForeignOwner, Locked, NewerFormat, SharedFileSystem, Unwritable
from sidings.store.log import SqliteLog
from sidings.store.store import Store

MOUNTS = """\
22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw
30 22 0:40 / /home rw,relatime shared:1 - nfs4 server:/home rw,vers=4.2
31 30 254:2 / /home/ann/local\\040disk rw - xfs /dev/vdb rw
32 30 254:3 / /home/ann/größe rw - btrfs /dev/vdd rw
40 22 0:50 / /mnt rw - ext4 /dev/vdc rw
41 22 0:51 / /mnt rw - cifs //server/share rw
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/var/lib/sidings", "ext4"),
        ("/home/ann/.sidings", "nfs4"),
        ("/homes/ann", "ext4"),
        ("/home/ann/local disk/.sidings", "xfs"),
        ("/home/ann/größe/x", "btrfs"),
        ("/mnt/state", "cifs"),
    ],
)
def test_the_longest_and_last_mount_decides(path: str, expected: str) -> None:
    assert place.file_system_of(Path(path), MOUNTS) == expected


async def test_a_directory_is_made_private(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "a" / "b" / "state.db")
    await store.close()
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "b" / "state.db").stat().st_mode) == 0o600


def test_a_shared_file_system_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"22 1 254:1 / / rw - ext4 /dev/vda1 rw\n30 22 0:40 / {tmp_path} rw - nfs4 server:/x rw\n")
    with pytest.raises(SharedFileSystem) as caught:
        Store.open(tmp_path / "home" / "state.db", mount_table=table)
    assert "nfs4" in caught.value.what
    assert "SIDINGS_HOME" in caught.value.remedy
    assert not (tmp_path / "home").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="every directory of another user needs root to make; as root see below")
def test_a_directory_of_another_user_is_refused() -> None:
    with pytest.raises(ForeignOwner):
        place.prepare(Path("/"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_root_does_not_write_into_a_users_directory(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)
    with pytest.raises(ForeignOwner) as caught:
        place.prepare(tmp_path)
    assert "12345" in caught.value.what


def test_a_path_that_cannot_be_made_is_unwritable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unwritable):
        Store.open(tmp_path / "file" / "state.db")


async def test_a_second_engine_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.db")
    with pytest.raises(Locked) as caught:
        Store.open(tmp_path / "state.db")
    assert f"process {os.getpid()}" in caught.value.what
    assert "sidings down" in caught.value.remedy
    await store.close()
    await Store.open(tmp_path / "state.db").close()


def test_the_lock_dies_with_its_holder(tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from sidings.store import place; place.lock(Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "state.db.lock")], check=True)
    asyncio.run(Store.open(tmp_path / "state.db").close())


def test_a_file_that_is_no_database_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"not a database, but long enough to be looked at by SQLite" * 100)
    with pytest.raises(Corrupt) as caught:
        Store.open(path)
    assert f"mv {path}" in caught.value.remedy
    with pytest.raises(Corrupt):
        Store.open(path)  # and not Locked: the first attempt gave its lock back


def test_a_database_with_a_broken_document_is_corrupt(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "state.db")
    log.connection.execute("INSERT INTO entries VALUES ('pods', 'default', 'a', 1, '{\"half')")
    log.close()
    with pytest.raises(Corrupt):
        Store.open(tmp_path / "state.db")


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "state.db")
    log.connection.execute("PRAGMA application_id = 1")
    log.close()
    with pytest.raises(Corrupt, match="damaged"):
        Store.open(tmp_path / "state.db")


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "state.db")
    log.connection.execute("PRAGMA user_version = 99")
    log.close()
    with pytest.raises(NewerFormat) as caught:
        Store.open(tmp_path / "state.db")
    assert "pip install --upgrade" in caught.value.remedy
