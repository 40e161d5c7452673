"""The cases of JobSet's behaviour, on the pure planner, on a control plane in this process, and on any cluster.

``SIDINGS_CONFORMANCE_KUBECONFIG=FILE pytest tests/conformance/test_jobset_cases.py`` plays them on the cluster of FILE.
"""

import os
from pathlib import Path

import pytest

from sidings.api.resources import NAMESPACES
from sidings.client.http import HttpClient
from sidings.client.kubeconfig import load as load_kubeconfig
from sidings.clock import SystemClock
from tests.conformance import jobset_cases
from tests.conformance.admission_cases import admit
from tests.conformance.jobset_cases import Case, play
from tests.conformance.jobset_planner import Planner
from tests.conformance.jobset_server import Server
from tests.conformance.world import world

ALL = list(jobset_cases.load())
PLANNED = [pytest.param(case, id=case.name) for case in ALL if case.is_for("planner")]
SERVED = [pytest.param(case, id=case.name) for case in ALL if case.is_for("server")]
ADMITTED = [pytest.param(case, id=case.name) for case in ALL if case.is_about_admission]
CLOSING_SECONDS = 0.3
"""TLS connections to a cluster take a moment to close, and the loop of a test ends with it."""
KUBECONFIG = os.environ.get("SIDINGS_CONFORMANCE_KUBECONFIG")


@pytest.mark.parametrize("case", PLANNED)
async def test_planned(case: Case) -> None:
    assert await play(case, Planner(case.gates)) == []


@pytest.mark.looptime
@pytest.mark.parametrize("case", SERVED)
async def test_in_process(case: Case) -> None:
    async with world(gates=case.gates) as (client, clock, _):
        assert await play(case, Server(client, clock, "cases")) == []


@pytest.mark.looptime
@pytest.mark.parametrize("case", ADMITTED)
async def test_admission(case: Case) -> None:
    async with world(gates=case.gates) as (client, _, __):
        assert await admit(case, client, "cases") == []


@pytest.mark.parametrize("case", SERVED + ADMITTED if KUBECONFIG else [])
async def test_on_a_cluster(case: Case) -> None:
    if case.gates:
        pytest.skip("needs a cluster whose JobSet controller has the gates on")
    namespace = f"case-{case.name.lower()}"
    async with HttpClient(load_kubeconfig([Path(str(KUBECONFIG))], must_exist=True)) as client:
        try:
            if case.is_about_admission:
                assert await admit(case, client, namespace) == []
            else:
                assert await play(case, Server(client, SystemClock(), namespace)) == []
        finally:
            await client.delete(NAMESPACES, namespace)
    await SystemClock().sleep(CLOSING_SECONDS)
