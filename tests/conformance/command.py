"""``python tests/conformance/replay.py FILE...``: do we answer and act as the real control plane did?

FILE holds traces of controllers, answers of the API server, or outputs of kubectl; each trace, answer and command is
one recording. With ``--kubeconfig`` (or ``$KUBECONFIG``) they are played against that server in real time, else against
a control plane in this process on virtual time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import looptime

from sidings.api.objects import Object
from sidings.client.http import HttpClient
from sidings.client.kubeconfig import load
from sidings.clock import SystemClock
from sidings.host import bootstrap
from tests.conformance import in_real_time, kubectl, traces
from tests.conformance.answers import Answers
from tests.conformance.player import Player
from tests.conformance.senders import AppSender, HttpSender
from tests.conformance.tally import Tally
from tests.conformance.traces import Difference
from tests.conformance.world import TOKEN, make_nodes, world

T = TypeVar("T")

LONGEST_VIRTUAL = 120
"""Seconds for one trace in this process; a control plane that never comes to rest makes virtual time stand still."""


def main(arguments: list[str]) -> int:
    """Print what differs; 0 where all recordings agree, 1 where one does not."""
    parser = argparse.ArgumentParser(prog="replay.py", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="recordings, JSON in gzip")
    parser.add_argument("--only", default="", metavar="TEXT", help="only recordings whose name contains TEXT")
    parser.add_argument("--quiet", action="store_true", help="only the last line")
    parser.add_argument(
        "--kubeconfig",
        type=Path,
        default=os.environ.get("KUBECONFIG"),
        help="play against this server, in real time, instead of one in this process",
    )
    parser.add_argument("--in-process", action="store_true", help="play in this process whatever $KUBECONFIG says")
    options = parser.parse_args(arguments)
    if options.in_process:
        options.kubeconfig = None
    tally = Tally(traces.load_rules(), only=options.only, quiet=options.quiet)
    for file in options.files:
        recording = traces.read(file)
        if isinstance(recording, list):
            _play_traces(recording, options.kubeconfig, tally)
        elif "kubectl" in recording:
            asyncio.run(kubectl.play(recording, options.kubeconfig, tally))
        else:
            _play_answers(recording, options.kubeconfig, tally)
    print(tally.summary())
    return 0 if tally.all_agree else 1


def _play_traces(recorded: list[Object], kubeconfig: Path | None, tally: Tally) -> None:
    wanted = [trace for trace in recorded if tally.wants(trace["name"])]
    playable = []
    for trace in wanted:
        if reason := traces.unplayable(trace, tally.rules):
            tally.skip(trace["name"], reason)
        else:
            playable.append(trace)
    if kubeconfig is not None:
        asyncio.run(in_real_time.play_all(playable, kubeconfig, tally))
        return
    for trace in playable:
        failure, differences = outcome(trace)
        tally.note(trace["name"], traces.repeatable(trace, differences), failure, trace)


def outcome(trace: Object) -> tuple[str, list[Difference]]:
    """(why the trace could not be played to its end, all differences), in this process."""
    try:
        return "", on_virtual_time(_play_here(trace))
    except Exception:
        return traceback.format_exc(), []


def _too_long(number: int, frame: object) -> None:
    raise TimeoutError(f"not played within {LONGEST_VIRTUAL} s")


def on_virtual_time(played: Coroutine[Any, Any, T]) -> T:
    """The result of ``played`` on an event loop whose clock jumps."""
    loop = looptime.patch_event_loop(asyncio.new_event_loop(), start=0)
    loop.setup_looptime(_enabled=True)
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LONGEST_VIRTUAL)
    try:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            return runner.run(played)
    finally:
        signal.alarm(0)


async def _play_here(trace: Object) -> list[Difference]:
    async with world(gates=traces.gates_of(trace)) as (client, clock, _):
        return await Player(client, clock, trace).play()


def _play_answers(recording: Object, kubeconfig: Path | None, tally: Tally) -> None:
    def report(name: str, differences: list[Difference]) -> None:
        if tally.wants(name):
            tally.note(name, differences)

    if kubeconfig is None:
        on_virtual_time(_answers_here(recording, report))
    else:
        asyncio.run(_answers_remotely(recording, kubeconfig, report))


async def _answers_here(recording: Object, report: Callable[[str, list[Difference]], None]) -> None:
    async with world() as (client, clock, app):
        await bootstrap.bootstrap(client)
        await Answers(AppSender(app, TOKEN), client, clock, recording).play(report)


async def _answers_remotely(
    recording: Object, kubeconfig: Path, report: Callable[[str, list[Difference]], None]
) -> None:
    config = load([kubeconfig], must_exist=True)
    async with HttpClient(config) as client:
        await make_nodes(client)
        await Answers(HttpSender(config), client, SystemClock(), recording).play(report)
