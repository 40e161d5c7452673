"""The cases of a Job's behaviour, on the pure planner, on a control plane in this process, and on any cluster.

``SIDINGS_CONFORMANCE_KUBECONFIG=FILE pytest tests/conformance/test_job_cases.py`` plays them on the cluster of FILE.
"""

import os
from pathlib import Path

import pytest

from sidings.client.http import HttpClient
from sidings.client.kubeconfig import load as load_kubeconfig
from sidings.clock import SystemClock
from tests.conformance import job_cases
from tests.conformance.job_cases import Case, Planner, Server, play
from tests.conformance.world import world

CASES = [pytest.param(case, id=case.name) for case in job_cases.load()]
KUBECONFIG = os.environ.get("SIDINGS_CONFORMANCE_KUBECONFIG")
CLOSING_SECONDS = 0.3
"""TLS connections to a cluster take a moment to close, and the loop of a test ends with it."""


@pytest.mark.parametrize("case", CASES)
async def test_planned(case: Case) -> None:
    assert await play(case, Planner(slow=case.slow)) == []


@pytest.mark.looptime
@pytest.mark.parametrize("case", CASES)
async def test_in_process(case: Case) -> None:
    async with world() as (client, clock, _):
        stage = Server(client, clock, "cases", slow=case.slow)
        assert await play(case, stage) == []
        await stage.clean_up()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", CASES if KUBECONFIG else [])
async def test_on_a_cluster(case: Case) -> None:
    async with HttpClient(load_kubeconfig([Path(str(KUBECONFIG))], must_exist=True)) as client:
        stage = Server(client, SystemClock(), f"case-{case.name.lower()}", slow=case.slow)
        try:
            assert await play(case, stage) == []
        finally:
            await stage.clean_up()
    await SystemClock().sleep(CLOSING_SECONDS)
