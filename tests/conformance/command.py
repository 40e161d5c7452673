"""``python tests/conformance/replay.py FILE...``: do we answer and act as the real control plane did?"""

from __future__ import annotations

import argparse
import asyncio
import collections
import signal
import traceback
from pathlib import Path

import looptime

from sidings.api.objects import Object
from sidings.client.http import HttpClient
from sidings.client.kubeconfig import load
from sidings.clock import SystemClock
from tests.conformance import traces
from tests.conformance.player import Player
from tests.conformance.traces import Difference
from tests.conformance.world import world

LIMIT_SECONDS = 120
"""Of real time for one trace: a control plane that never comes to rest makes virtual time stand still."""


def main(arguments: list[str]) -> int:
    """Print what differs; 0 where all traces agree, 1 where one does not."""
    parser = argparse.ArgumentParser(prog="replay.py", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="traces, JSON in gzip")
    parser.add_argument("--only", default="", metavar="TEXT", help="only traces whose name contains TEXT")
    parser.add_argument("--quiet", action="store_true", help="one line per trace")
    parser.add_argument(
        "--kubeconfig", type=Path, help="play against this server, in real time, instead of one in this process"
    )
    options = parser.parse_args(arguments)
    rules = traces.load_rules()
    signal.signal(signal.SIGALRM, _too_long)
    agreed = total = 0
    causes: collections.Counter[str] = collections.Counter()
    for trace in (trace for file in options.files for trace in traces.load(file)):
        if options.only not in trace["name"]:
            continue
        if reason := traces.unplayable(trace, rules):
            print("skipped", trace["name"], reason)
            continue
        total += 1
        signal.alarm(LIMIT_SECONDS)
        failure, differences = outcome(trace, options.kubeconfig)
        signal.alarm(0)
        left = traces.unexplained(differences, rules)
        agreed += not left and not failure
        causes.update({difference.where for difference in left})
        print("agrees " if not left and not failure else "DIFFERS", trace["name"], failure.splitlines()[-1:] or "")
        if not options.quiet:
            print(failure, end="")
            print(*(f"  {difference}\n" for difference in left), sep="", end="")
    print(f"{agreed} of {total} traces agree")
    if options.quiet:
        print(*(f"{count:4} {where}\n" for where, count in causes.most_common(20)), sep="", end="")
    return 0 if agreed == total else 1


def outcome(trace: Object, kubeconfig: Path | None = None) -> tuple[str, list[Difference]]:
    """(why the trace could not be played to its end, all differences)."""
    try:
        if kubeconfig is not None:
            return "", asyncio.run(_play_remotely(trace, kubeconfig))
        loop = looptime.patch_event_loop(asyncio.new_event_loop(), start=0)
        loop.setup_looptime(_enabled=True)
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            return "", runner.run(_play_here(trace))
    except Exception:
        return traceback.format_exc(), []


def _too_long(number: int, frame: object) -> None:
    raise TimeoutError(f"not played within {LIMIT_SECONDS} s")


async def _play_here(trace: Object) -> list[Difference]:
    async with world() as (client, clock):
        return await Player(client, clock, trace).play()


async def _play_remotely(trace: Object, kubeconfig: Path) -> list[Difference]:
    async with HttpClient(load([kubeconfig], must_exist=True)) as client:
        player = Player(client, SystemClock(), trace)
        try:
            return await player.play()
        finally:
            await player.clean_up()
