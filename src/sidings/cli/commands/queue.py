"""``sidings queue``: the scheduler's decisions without a cluster, so far for recorded cases."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from sidings.queue.replay import Case

SUMMARY = "replay decisions of the queue"
DESCRIPTION = """
What Kueue's scheduler decides, worked out on this machine from objects alone.
"""
REPLAY = """
Decide recorded cases again and compare: who is admitted on which flavors and nodes, who waits and why, who is
preempted, events. FILE is a JSON list (plain or gzipped) of cases with `objects`, `cycles` and `expect`.
One line per difference; the last line is `N of M cases agree`. Exit code 0 only if all do.
"""


def configure(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, help="replay")
    replay = verbs.add_parser("replay", help="decide recorded cases again and compare", description=REPLAY.strip())
    replay.add_argument("file", metavar="FILE", help="cases, .json or .json.gz")


def run(args: Namespace, invocation: Invocation) -> int:
    from sidings.queue import replay

    cases = _read(invocation.cwd / args.file)
    agreeing = 0
    for case in cases:
        found = list(replay.differences(case))
        agreeing += not found
        for difference in found:
            invocation.console.print(f"{case['name']}: {difference}")
    invocation.console.print(f"{agreeing} of {len(cases)} cases agree")
    return ExitCode.OK if agreeing == len(cases) else ExitCode.FAILED


def _read(path: Path) -> list[Case]:
    import gzip
    import zlib

    from sidings.cli.errors import ManifestError
    from sidings.queue import replay

    remedy = "give a JSON list of cases, each with name, objects, cycles and expect"
    try:
        return replay.load(path)
    except (OSError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ManifestError(f"cannot read {path}", cause=str(error), remedy=remedy) from error
    except ValueError as error:
        raise ManifestError(f"{path} holds no cases", cause=str(error), remedy=remedy) from error
