"""The cases of the Training Operator, on the pure plan, on a control plane in this process, and on any cluster.

``SIDINGS_CONFORMANCE_KUBECONFIG=FILE pytest tests/conformance/test_training_operator_cases.py`` plays them on that
cluster, which has to have no node that takes pods: the script is the kubelet.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from sidings.client.http import HttpClient
from sidings.client.kubeconfig import load as load_kubeconfig
from sidings.clock import SystemClock
from tests import control_planes
from tests.conformance import training_operator_cases
from tests.conformance.test_jobset_cases import CLOSING_SECONDS
from tests.conformance.training_operator_cases import Case, Planner, Server, play

ALL = list(training_operator_cases.load())
PLANNED = [pytest.param(case, id=case.name) for case in ALL if case.is_for("planner")]
SERVED = [pytest.param(case, id=case.name) for case in ALL if case.is_for("server")]
KUBECONFIG = os.environ.get("SIDINGS_CONFORMANCE_KUBECONFIG")


@pytest.mark.parametrize("case", PLANNED)
async def test_planned(case: Case) -> None:
    assert await play(case, Planner()) == []


@pytest.mark.looptime
async def test_in_process() -> None:
    """All at once, each in its namespace, with every controller of the engine."""
    async for plane in control_planes.running():
        stages = [Server(plane.client, plane.clock, f"case-{case.name}") for case in ALL]
        found = await asyncio.gather(*map(play, ALL, stages))
    assert {case.name: complaints for case, complaints in zip(ALL, found, strict=True) if complaints} == {}


@pytest.mark.parametrize("case", SERVED if KUBECONFIG else [])
async def test_on_a_cluster(case: Case) -> None:
    async with HttpClient(load_kubeconfig([Path(str(KUBECONFIG))], must_exist=True)) as client:
        stage = Server(client, SystemClock(), f"case-{case.name}")
        try:
            assert await play(case, stage) == []
        finally:
            await stage.clean_up()
    await SystemClock().sleep(CLOSING_SECONDS)
