"""Whatever comes, the answer is no worse than a refusal: no 5xx, no traceback, of the server or of a controller.

The control plane is whole and in memory, on virtual time, with an object of every kind in its store.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from sidings.clock import LoopClock
from sidings.host.control_plane import ControlPlane
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from tests import control_planes
from tests.abuse.fuzzer import Fuzzer
from tests.clients import commands
from tests.server.conftest import Answer, Api, NoPods

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

IN_CI, IN_SOAK = 2_500, 60_000
AS_UPSTREAM = (
    "resourceVersion should not be set on objects to be created",
    "Too large resource version",
    'resourceVersion: Invalid value: "',
    "the spec replicas field ",
    "failed to create typed patch object",
    "does not contain declared merge key",
)
"""What the real API server, too, answers with a code above 499 (recorded): it forgets whose fault it is."""


class Served(Api):
    """The application in front of a whole control plane."""

    def __init__(self, plane: ControlPlane) -> None:
        self.registry = plane.registry
        rng = random.Random(1)
        self.app = App(plane.registry, NoPods(), StaticTokens({"t": ADMIN}), LoopClock(), rng)


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async for plane in control_planes.running():
        yield Served(plane)


async def fuzz(served: Served, count: int, caplog: pytest.LogCaptureFixture) -> Counter[int]:
    """Send ``count`` requests; ``FAULT_SEED`` in the environment repeats a run's choices."""
    seed = int(os.environ.get("FAULT_SEED") or random.randrange(10**6))
    index = (await served("GET", "/openapi/v3")).json["paths"].values()
    documents = [(await served("GET", entry["serverRelativeURL"])).json for entry in index]
    samples = [sample.object("fuzz", {"namespace": "fuzz"}) for sample in commands.samples()]
    fuzzer = Fuzzer(random.Random(seed), documents, samples)
    await served("POST", "/api/v1/namespaces", {"metadata": {"name": "fuzz"}})
    codes: Counter[int] = Counter()
    with caplog.at_level(logging.ERROR):
        for number in range(count):
            sent = fuzzer.request()
            answer = await served(sent.method, sent.url, sent.body, gone=True, **sent.headers)
            codes[answer.code] += 1
            if answer.code >= 500 and not _as_upstream(answer):
                pytest.fail(f"seed {seed}, request {number}: {sent}\n{answer.code} {answer.body[:1000]!r}{caplog.text}")
            if number % 10 == 0:
                await asyncio.sleep(0.1)  # controllers look at what was made
            if caplog.records:
                pytest.fail(f"seed {seed}, before or at request {number}: {sent}\n{caplog.text[-6000:]}")
    print(f"seed {seed}: {dict(sorted(codes.items()))}")
    return codes


def _as_upstream(answer: Answer) -> bool:
    return any(text in answer.message for text in AS_UPSTREAM)


async def test_a_sample_of_bad_requests(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    codes = await fuzz(served, IN_CI, caplog)
    assert {200, 201, 400, 404, 409, 415, 422} <= set(codes), "the requests reach everything"


@pytest.mark.soak
@pytest.mark.timeout(7200)
async def test_sixty_thousand_bad_requests(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    await fuzz(served, IN_SOAK, caplog)
