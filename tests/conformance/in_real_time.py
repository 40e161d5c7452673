"""Playing traces against a server in real time: many at once, and again, alone, those that differ.

The recorded steps were milliseconds apart. On a busy machine a pause may come between two of them, and a controller
then sees what it was not to see yet, as any cluster's would; what differs in every play differs in truth.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sidings.api.objects import Object
from sidings.api.resources import PYTORCH_JOBS
from sidings.client.http import HttpClient
from sidings.client.interface import Client
from sidings.client.kubeconfig import load
from sidings.clock import SystemClock
from tests.conformance import traces
from tests.conformance.player import Player
from tests.conformance.tally import Tally
from tests.conformance.traces import Difference, Rule
from tests.conformance.world import make_nodes, without_training_operator

AT_ONCE = 8
"""Traces played side by side, each in its namespace."""
TRIES = 3
LIMIT_SECONDS = 600
"""For one play."""


@dataclass(frozen=True)
class Play:
    """How one play went; ``failure`` is why it could not be played to its end."""

    differences: Sequence[Difference]
    failure: str
    agrees: bool


async def play_all(recorded: Sequence[Object], kubeconfig: Path, tally: Tally) -> None:
    """Note in ``tally`` how the traces went against the server of ``kubeconfig``."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def in_turn(trace: Object) -> Play:
        async with gate:
            return await _play(client, trace, tally.rules)

    async with HttpClient(load([kubeconfig], must_exist=True)) as client:
        await make_nodes(client)
        if any(_makes(trace, PYTORCH_JOBS.kind) for trace in recorded):
            await without_training_operator(client)
        plays = await asyncio.gather(*map(in_turn, recorded))
        for trace, play in zip(recorded, plays, strict=True):
            for _ in range(TRIES - 1):
                if play.agrees:
                    break
                play = await _play(client, trace, tally.rules)
            tally.note(trace["name"], play.differences, play.failure, trace)


async def _play(client: Client, trace: Object, rules: list[Rule]) -> Play:
    def agrees(found: Sequence[Difference]) -> bool:
        return not traces.unexplained(traces.repeatable(trace, found), rules, trace)

    player = Player(client, SystemClock(), trace, agrees)
    failure, differences = "", []
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            try:
                differences = await player.play()
            finally:
                await player.clean_up()
    except Exception:
        failure = traceback.format_exc()
    return Play(traces.repeatable(trace, differences), failure, not failure and agrees(differences))


def _makes(trace: Object, kind: str) -> bool:
    return any(step.get("object", {}).get("kind") == kind for step in trace["steps"])
