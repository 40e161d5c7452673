"""What can go wrong with the state on disk, and what the store refuses.

::

    StoreError
    ├── ForeignOwner      STORE_FOREIGN_OWNER     the directory belongs to another user
    ├── SharedFileSystem  STORE_FILE_SYSTEM       NFS and the like: locks and shared memory do not hold there
    ├── Locked            STORE_LOCKED            another engine has it open
    ├── Corrupt           STORE_CORRUPT           not a database, or a damaged one
    ├── NewerFormat       STORE_NEWER_FORMAT      written by a later version
    ├── Unwritable        STORE_UNWRITABLE        permissions, read-only file system, I/O error
    │   └── Full          STORE_FULL              no space left; reading goes on, writing works again with room
    ├── Closed            STORE_CLOSED            used after ``close``
    ├── KeyChanged        STORE_KEY_CHANGED       a precondition on a key's revision does not hold
    └── Compacted         STORE_COMPACTED         the revision asked for is older than the history kept
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidings.errors import SidingsError

if TYPE_CHECKING:
    from sidings.store.entries import Entry, Key


class StoreError(SidingsError):
    """The state cannot be opened, read or written."""

    code = "STORE_ERROR"


class ForeignOwner(StoreError):
    code = "STORE_FOREIGN_OWNER"


class SharedFileSystem(StoreError):
    code = "STORE_FILE_SYSTEM"


class Locked(StoreError):
    code = "STORE_LOCKED"


class Corrupt(StoreError):
    code = "STORE_CORRUPT"


class NewerFormat(StoreError):
    code = "STORE_NEWER_FORMAT"


class Unwritable(StoreError):
    code = "STORE_UNWRITABLE"


class Full(Unwritable):
    code = "STORE_FULL"


class Closed(StoreError):
    code = "STORE_CLOSED"

    def __init__(self) -> None:
        super().__init__("the store is closed")


class KeyChanged(StoreError):
    """``current`` is what the key holds now, durable; None where it holds nothing."""

    code = "STORE_KEY_CHANGED"

    def __init__(self, key: Key, expected: int, current: Entry | None) -> None:
        found = f"is at revision {current.revision}" if current else "does not exist"
        super().__init__(f"{'/'.join(key)} was expected at revision {expected} but {found}")
        self.key = key
        self.current = current


class Compacted(StoreError):
    """Changes after ``revision`` are no longer known; ``oldest`` is the first revision that can be asked for."""

    code = "STORE_COMPACTED"

    def __init__(self, revision: int, oldest: int) -> None:
        super().__init__(f"revision {revision} is too old, the history begins at {oldest}")
        self.revision = revision
        self.oldest = oldest
