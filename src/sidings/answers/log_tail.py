"""Which lines of a failed rank's log tell why it failed.

That is the end of the log, but for what torchrun adds: when a worker dies its agent logs one line with the exit code
and then dies itself, with a traceback and a table of forty lines that say nothing about the cause.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_AGENT_GIVES_UP = re.compile(r"torch/distributed/elastic/multiprocessing/api\.py:\d+\] failed \(exitcode: ")
"""The agent's line about its dead worker (torch 2.4 to 2.13)."""


def telling(lines: Sequence[str], most: int) -> list[str]:
    """The last ``most`` of ``lines``, of those before torchrun's own report where the worker has said anything."""
    for number, line in enumerate(lines):
        if number and _AGENT_GIVES_UP.search(line):
            return list(lines[max(number - most, 0) : number])
    return list(lines[-most:])
