"""What an S3 server's refusal means, and what mends it.

obstore gives most refusals a class of their own, but not those of a list, and none its reason: that is the code in the
server's answer, which its message quotes.
"""

from __future__ import annotations

import re

from sidings_train.errors import NotThereError, StorageError
from sidings_train.storage.connection import ENDPOINTS, KEYS

_NEEDED = f"{', '.join(KEYS)} and, unless it is Amazon's, {ENDPOINTS[1]}"
_ANSWER = re.compile(r"<Code>([^<]+)</Code>(?:\s*<Message>([^<]+)</Message>)?")
_FORBIDDEN = re.compile(r"\b(401 Unauthorized|403 Forbidden)\b")
_FULL = {"InsufficientStorage", "XMinioStorageFull", "QuotaExceeded"}  # of Sidings, MinIO, Ceph
_LONGEST = 300  # characters of a cause


def explained(text: str, what: str, bucket: str, missing: bool) -> StorageError:
    """``what`` could not be done, ``text`` is what obstore says. ``missing``: it says that no such object is there."""
    said = text.partition("\n\n")[0]  # it goes on with the whole error as Rust prints it
    answer = _ANSWER.search(said)
    code = answer[1] if answer else ""
    cause = ": ".join(filter(None, answer.groups())) if answer else said.splitlines()[0][:_LONGEST]
    if code == "NoSuchBucket":
        return StorageError(
            f"{what}: there is no bucket {bucket!r}",
            remedy=f"create it: aws s3 mb s3://{bucket}; or look at {' and '.join(ENDPOINTS[1:])}",
        )
    if missing:
        return NotThereError(f"{what}: not there")
    if _FORBIDDEN.search(said):
        return StorageError(f"{what}: refused", cause=cause, remedy=f"look at the credentials: {_NEEDED}")
    if code in _FULL:
        return StorageError(what, cause=cause, remedy="make room on the server; or keep fewer checkpoints (keep=1)")
    return StorageError(what, cause=cause, remedy=f"look at the server and at {_NEEDED}")
