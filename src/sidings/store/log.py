"""Where writes become durable: SQLite, or nowhere.

One table holds the live documents, one row the last revision. SQLite's write-ahead log with ``synchronous=FULL`` is the
journal: a commit returns when it is on disk, so it survives ``kill -9`` and power loss. A ``Log`` is used by one thread
at a time and knows nothing of preconditions, watches or failures of others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from sidings.store import place
from sidings.store.entries import Entry, Key
from sidings.store.errors import Corrupt, Full, NewerFormat, StoreError, Unwritable

APPLICATION_ID = 0x51D14650
FORMAT = 1
JOURNAL_PAGES = 4000
"""After so many pages (16 MB) the commit that comes next brings the journal into the table and has two more files to
flush. With SQLite's 1,000 that was one in 250, and the p99 of four writers a fifth higher."""

FIRST_REVISION = 1000
"""Where a new store begins to count. Clients that mean "long ago" say 1, and that shall not be a revision of ours."""

_SCHEMA = f"""
CREATE TABLE entries (
  resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
  revision INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (resource, namespace, name)
) WITHOUT ROWID;
CREATE TABLE state (revision INTEGER NOT NULL);
INSERT INTO state VALUES ({FIRST_REVISION});
"""


class Row(NamedTuple):
    """One step to make durable; ``data`` is None for a deletion."""

    key: Key
    revision: int
    data: bytes | None


class Log(Protocol):
    """What the store needs of a disk."""

    def load(self) -> tuple[int, list[Entry]]:
        """The last revision and all live entries, sorted by key."""
        ...

    def append(self, rows: Sequence[Row]) -> None:
        """Make ``rows`` durable, all or none of them; raises ``StoreError``."""
        ...

    def close(self) -> None: ...


class MemoryLog:
    """A log that keeps nothing; ``room`` bytes can be written before it is full (None: no limit).

    A limited one is a disk in a test: raise ``room`` and writing works again.
    """

    def __init__(self, room: int | None = None) -> None:
        self.room = room

    def load(self) -> tuple[int, list[Entry]]:
        return FIRST_REVISION, []

    def append(self, rows: Sequence[Row]) -> None:
        if self.room is not None:
            needed = sum(len(row.data or b"") for row in rows)
            if needed > self.room:
                raise Full("no space left in memory", remedy="raise the room")
            self.room -= needed

    def close(self) -> None:
        """Nothing to release."""


class SqliteLog:
    """The log in a SQLite file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = _connect(path)

    def load(self) -> tuple[int, list[Entry]]:
        try:
            (revision,) = self.connection.execute("SELECT revision FROM state").fetchone()
            rows: Iterable[tuple[str, str, str, int, bytes]] = self.connection.execute(
                "SELECT resource, namespace, name, revision, data FROM entries ORDER BY resource, namespace, name"
            )
            decode = msgspec.json.Decoder(dict).decode
            entries = [Entry((r, ns, name), rev, decode(data), data) for r, ns, name, rev, data in rows]
        except sqlite3.Error as error:
            raise _translated(self.path, error) from error
        except (msgspec.DecodeError, TypeError) as error:
            raise _corrupt(self.path, str(error)) from error
        return revision, entries

    def append(self, rows: Sequence[Row]) -> None:
        db = self.connection
        try:
            db.execute("BEGIN IMMEDIATE")
            for (resource, namespace, name), revision, data in rows:
                if data is None:
                    db.execute(
                        "DELETE FROM entries WHERE resource = ? AND namespace = ? AND name = ?",
                        (resource, namespace, name),
                    )
                else:
                    db.execute(
                        "INSERT INTO entries VALUES (?, ?, ?, ?, ?) ON CONFLICT (resource, namespace, name) "
                        "DO UPDATE SET revision = excluded.revision, data = excluded.data",
                        (resource, namespace, name, revision, data),
                    )
            db.execute("UPDATE state SET revision = ?", (rows[-1].revision,))
            db.execute("COMMIT")
        except sqlite3.Error as error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise _translated(self.path, error) from error

    def close(self) -> None:
        self.connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    """Open or create the database; raises ``StoreError``. Used by the writer thread after the opening one."""
    try:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise _translated(path, error) from error
    try:
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA wal_autocheckpoint = {JOURNAL_PAGES}")
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables == 0:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(
                f"BEGIN; {_SCHEMA} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; COMMIT;"
            )
            path.chmod(0o600)
        elif application != APPLICATION_ID:
            raise _corrupt(path, "it is a database of another program")
        elif version > FORMAT:
            raise NewerFormat(
                f"{path} was written by a newer version of Sidings",
                cause=f"format {version}, and this version reads up to {FORMAT}",
                remedy="pip install --upgrade sidings",
            )
    except sqlite3.Error as error:
        db.close()
        raise _translated(path, error) from error
    except StoreError:
        db.close()
        raise
    return db


def _translated(path: Path, error: sqlite3.Error) -> StoreError:
    """SQLite's result code as an error that says what to do. The low byte is the primary code."""
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _corrupt(path, str(error))
    # A full disk also shows as an I/O error, when it is met while the log is extended or synced.
    if primary == sqlite3.SQLITE_FULL or place.is_full(path):
        return place.full(path)
    return Unwritable(
        f"cannot read or write {path}",
        cause=str(error),
        remedy=f"ls -ld {path} {path.parent}; df -h {path.parent}",
    )


def _corrupt(path: Path, cause: str) -> Corrupt:
    return Corrupt(
        f"{path} is damaged",
        cause=cause,
        remedy=f"mv {path} {path}.damaged   (then `sidings up` starts with an empty state; claims keep their data)",
    )
