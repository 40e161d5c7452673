"""What a user needs to see of a failure: which rank was first, how it ended, and the end of its log."""

from __future__ import annotations

from sidings.answers.failure import first_failure
from sidings.answers.family import Family
from sidings.cli.console import Console
from sidings.cli.log_stream import tail_of
from sidings.client.interface import Client

TAIL_LINES = 20


async def show_first_failure(client: Client, console: Console, family: Family) -> None:
    """Say on stderr which rank failed first, with the tail of its log; nothing where no container failed."""
    failure = first_failure(family)
    if failure is None:
        return
    node = failure.pod["spec"].get("nodeName")
    console.say(
        f"{console.paint(console.glyph('failed'), 'red')} first to fail: {failure}"
        + (f" on {node}" if node else "")
        + (f": {failure.message}" if failure.message else "")
    )
    for line in await tail_of(client, failure.pod, failure.container, lines=TAIL_LINES, previous=failure.previous):
        console.say(f"  {console.paint('|', 'dim')} {line}")
