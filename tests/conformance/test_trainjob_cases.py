"""The cases of the Trainer's behaviour, on the pure pipeline, on a control plane in this process, and on any cluster.

``SIDINGS_CONFORMANCE_KUBECONFIG=FILE pytest tests/conformance/test_trainjob_cases.py`` plays them on that cluster.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from sidings.client.http import HttpClient
from sidings.client.kubeconfig import load as load_kubeconfig
from sidings.clock import SystemClock
from tests.conformance import trainjob_cases
from tests.conformance.test_jobset_cases import CLOSING_SECONDS
from tests.conformance.trainjob_cases import Case, Stage, planned, play
from tests.conformance.world import world

ALL = list(trainjob_cases.load())
KUBECONFIG = os.environ.get("SIDINGS_CONFORMANCE_KUBECONFIG")


def having(key: str) -> Sequence[object]:
    return [pytest.param(case, id=case.name) for case in ALL if case.data.get(key)]


@pytest.mark.parametrize("case", having("expect"))
def test_planned(case: Case) -> None:
    assert planned(case) == []


async def outcome(case: Case, stage: Stage) -> list[str]:
    """What is not as ``case`` has it."""
    if "steps" in case.data:
        return await play(case, stage)
    if case.data.get("expect"):
        refusal = await stage.prepare() or await stage.submit()
        return [refusal] if refusal else await stage.compare_built()
    if "refused" in case.data:
        refusal = await stage.prepare(runtime=not case.data.get("no_runtime")) or await stage.submit()
        return [] if case.data["refused"] in (refusal or "accepted") else [refusal or "accepted"]
    refusal = await stage.prepare() or await stage.submit()
    return [refusal] if refusal else []


@pytest.mark.looptime
async def test_in_process() -> None:
    """All at once, each in its namespace."""
    async with world() as (client, clock, _):
        found = await asyncio.gather(*(outcome(case, Stage(client, clock, case)) for case in ALL))
    assert {case.name: complaints for case, complaints in zip(ALL, found, strict=True) if complaints} == {}


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in ALL] if KUBECONFIG else [])
async def test_on_a_cluster(case: Case) -> None:
    async with HttpClient(load_kubeconfig([Path(str(KUBECONFIG))], must_exist=True)) as client:
        stage = Stage(client, SystemClock(), case)
        try:
            assert await outcome(case, stage) == []
        finally:
            await stage.clean_up()
    await SystemClock().sleep(CLOSING_SECONDS)
