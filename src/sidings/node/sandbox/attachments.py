"""Live copies of a container's output: ``kubectl attach``, from the side of the shim.

The log comes first, a client second: what a client has not taken is kept for it and the container is read no further
meanwhile, so that output is complete even where the client is slow (as with every container runtime). But a client
that takes nothing for ``STALLED_SECONDS`` is let go, so that a forgotten terminal cannot stop a training run.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Mapping

STALLED_SECONDS = 5.0
FAREWELL_SECONDS = 1.0
"""How long the end of a pod waits for the clients of its containers."""


class Attachment:
    """One client; ``outputs`` are pipes by stream name, of which it may want one or both."""

    def __init__(self, outputs: Mapping[str, int]) -> None:
        self._outputs = dict(outputs)
        self._pending: dict[str, bytes] = {}
        self._stalled_since = 0.0
        for fd in self._outputs.values():
            os.set_blocking(fd, False)

    @property
    def pending(self) -> bool:
        return bool(self._pending)

    @property
    def overdue_at(self) -> float:
        """The monotonic moment at which it is let go, while something is pending."""
        return self._stalled_since + STALLED_SECONDS

    @property
    def waiting_for(self) -> list[int]:
        """The pipes that are full."""
        return [self._outputs[stream] for stream in self._pending]

    def write(self, stream: str, data: bytes) -> None:
        """Pass ``data`` on, as far as it goes; a client that is gone wants nothing more."""
        if stream not in self._outputs:
            return
        if not self._pending:
            self._stalled_since = time.monotonic()
        self._pending[stream] = self._pending.get(stream, b"") + data
        self.flush()

    def flush(self) -> None:
        """Write what is pending, as far as it goes."""
        for stream, data in list(self._pending.items()):
            try:
                written = os.write(self._outputs[stream], data)
            except BlockingIOError:
                continue
            except OSError:
                self._close(stream)
                continue
            self._stalled_since = time.monotonic()
            if written < len(data):
                self._pending[stream] = data[written:]
            else:
                del self._pending[stream]

    def finish(self) -> None:
        """Give what is pending one last short while, then close: a client slower than that reads the end in the log."""
        deadline = time.monotonic() + FAREWELL_SECONDS
        while self._pending and (left := deadline - time.monotonic()) > 0:
            select.select([], self.waiting_for, [], left)
            self.flush()
        self.close()

    def close(self) -> None:
        for stream in list(self._outputs):
            self._close(stream)

    def _close(self, stream: str) -> None:
        self._pending.pop(stream, None)
        with contextlib.suppress(OSError):
            os.close(self._outputs.pop(stream))
