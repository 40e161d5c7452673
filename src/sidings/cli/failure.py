"""What a user needs to see of a failure: which rank was first, how it ended, and the end of its log."""

from __future__ import annotations

from sidings.answers.failure import Failure, first_failure
from sidings.answers.family import Family
from sidings.answers.log_tail import telling
from sidings.cli.console import Console
from sidings.cli.log_stream import tail_of
from sidings.client.interface import Client

TAIL_LINES = 20
LINES_READ = 200
"""Enough to hold torchrun's report and the lines before it."""


class FirstFailure:
    """The failure that came first, with the end of its log as it was then.

    Kept from the moment it is seen: a Job that gives up deletes its pods, and their logs with them.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._failure: Failure | None = None
        self._tail: list[str] = []

    async def see(self, family: Family) -> None:
        """Look whether ``family`` has failed for the first time."""
        if self._failure is not None:
            return
        failure = first_failure(family)
        if failure is not None:
            self._failure = failure
            log = await tail_of(
                self._client, failure.pod, failure.container, lines=LINES_READ, previous=failure.previous
            )
            self._tail = telling(log, TAIL_LINES)

    def lines(self, console: Console) -> list[str]:
        """What to say; nothing where no container failed."""
        failure = self._failure
        if failure is None:
            return []
        node = failure.pod["spec"].get("nodeName")
        where = f" on {node}" if node else ""
        message = f": {failure.message}" if failure.message else ""
        mark = console.paint(console.glyph("failed"), "red")
        bar = console.paint("|", "dim")
        return [f"{mark} first to fail: {failure}{where}{message}", *(f"  {bar} {line}" for line in self._tail)]
