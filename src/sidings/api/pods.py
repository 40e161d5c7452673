"""What a server needs from whoever runs the pods: their logs (and later exec, attach, port-forward).

The node agent implements it, the server and the in-process client get it handed in; neither imports the other.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sidings.api.objects import Object


@dataclass(frozen=True)
class LogOptions:
    """``v1.PodLogOptions``. ``container`` is resolved by the server before the call."""

    container: str
    follow: bool = False
    previous: bool = False
    since: datetime | None = None
    timestamps: bool = False
    tail_lines: int | None = None
    limit_bytes: int | None = None


class PodAccess(Protocol):
    """Access to running and finished pods; keyed by pod uid, so that a re-created name never shows old lines."""

    def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        """Log bytes as kubectl shows them; with ``follow`` until the container ends.

        Raises ``BadRequest`` where the container has not started or there is no previous one.
        """
        ...
