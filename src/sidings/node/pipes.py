"""The pipes between a client and a process in a pod: which ends are ours, which are the process's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from sidings.api.pods import StreamOptions

OUTPUTS = ("stdout", "stderr")


class Pipes:
    """One pipe for each stream that the client wants; the process gets ``/dev/null`` for the others."""

    def __init__(self, options: StreamOptions) -> None:
        self.ours: dict[str, int] = {}
        self.theirs: dict[str, int] = {}
        for stream in ("stdin", *OUTPUTS):
            if not getattr(options, stream):
                self.theirs[stream] = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
                continue
            reader, writer = os.pipe()
            inward = stream == "stdin"
            self.ours[stream], self.theirs[stream] = (writer, reader) if inward else (reader, writer)
            os.set_blocking(self.ours[stream], False)

    def handed_over(self) -> None:
        """The process has its ends: with ours gone, what it closes is closed."""
        _close_all(self.theirs)

    def close(self) -> None:
        _close_all(self.theirs)
        _close_all(self.ours)

    def close_stdin(self) -> None:
        """The process reads its end of file."""
        if (stdin := self.ours.pop("stdin", None)) is not None:
            os.close(stdin)


@contextmanager
def opened(options: StreamOptions) -> Iterator[Pipes]:
    pipes = Pipes(options)
    try:
        yield pipes
    finally:
        pipes.close()


def _close_all(descriptors: dict[str, int]) -> None:
    while descriptors:
        os.close(descriptors.popitem()[1])
