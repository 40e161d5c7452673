"""The cases of JobSet's behaviour, on the pure planner, on a control plane in this process, and on any cluster.

``SIDINGS_CONFORMANCE_KUBECONFIG=FILE pytest tests/conformance/test_jobset_cases.py`` plays them on the cluster of FILE.
"""

import os
from pathlib import Path

import pytest

from sidings.api.resources import JOB_SETS, NAMESPACES
from sidings.api.status import ApiError
from sidings.client.http import HttpClient
from sidings.client.kubeconfig import load as load_kubeconfig
from sidings.clock import SystemClock
from tests.conformance import jobset_cases
from tests.conformance.jobset_cases import Case, Planner, Server, play
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
        await client.create(NAMESPACES, {"metadata": {"name": "cases"}})
        changes = case.data.keys() & {"update", "place", "resize"}
        answer = ""
        try:
            await client.create(JOB_SETS, case.jobset, namespace="cases", dry_run=not changes)
            if changes:
                if case.status:
                    body = {"status": case.status}
                    await client.patch(JOB_SETS, "js", body, namespace="cases", subresource="status")
                made = jobset_cases.placed(await client.get(JOB_SETS, "js", "cases"), case.data.get("place") or {})
                made["spec"]["replicatedJobs"][0]["template"]["spec"] |= case.data.get("resize") or {}
                changed = {**made, "spec": {**made["spec"], **(case.data.get("update") or {})}}
                await client.update(JOB_SETS, changed, dry_run=True)
        except ApiError as error:
            answer = error.message
        wanted = case.data["refused"]
        assert answer == "" if wanted is None else wanted in answer


@pytest.mark.parametrize("case", SERVED if KUBECONFIG else [])
async def test_on_a_cluster(case: Case) -> None:
    if case.gates:
        pytest.skip("needs a cluster whose JobSet controller has the gates on")
    async with HttpClient(load_kubeconfig([Path(str(KUBECONFIG))], must_exist=True)) as client:
        stage = Server(client, SystemClock(), f"case-{case.name.lower()}")
        try:
            assert await play(case, stage) == []
        finally:
            await stage.clean_up()
    await SystemClock().sleep(CLOSING_SECONDS)
