from typing import Any

import pytest

from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, PODS, Resource
from sidings.client.apply import Outcome, apply
from sidings.client.http import HttpClient
from tests.client.conftest import ScriptedServer
from tests.client.test_http import answer

MISSING = answer({"kind": "Status", "reason": "NotFound", "message": "gone", "code": 404}, "404 Not Found")


def stored(version: str) -> bytes:
    return answer({"metadata": {"name": "p", "resourceVersion": version}})


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ([MISSING, stored("1")], Outcome.CREATED),
        ([stored("1"), stored("2")], Outcome.CONFIGURED),
        ([stored("1"), stored("1")], Outcome.UNCHANGED),
    ],
)
async def test_outcomes(scripted: tuple[ScriptedServer, HttpClient], answers: list[bytes], outcome: Outcome) -> None:
    server, client = scripted
    server.answers = list(answers)
    applied = await apply(client, PODS, {"metadata": {"name": "p"}}, namespace="n")
    assert applied.outcome is outcome
    assert server.last_line == (
        "PATCH /base/api/v1/namespaces/n/pods/p?fieldManager=sidings&fieldValidation=Strict HTTP/1.1"
    )
    assert "Content-Type: application/apply-patch+yaml" in server.heads[-1]


@pytest.mark.parametrize(
    ("resource", "manifest", "path"),
    [
        (PODS, {"metadata": {"name": "p", "namespace": "own"}}, "/namespaces/own/pods/p?"),
        (CLUSTER_TRAINING_RUNTIMES, {"metadata": {"name": "r"}}, "/v1alpha1/clustertrainingruntimes/r?"),
    ],
)
async def test_where_it_goes(
    scripted: tuple[ScriptedServer, HttpClient], resource: Resource, manifest: dict[str, Any], path: str
) -> None:
    server, client = scripted
    server.answers = [MISSING, stored("1")]
    await apply(client, resource, manifest, namespace="n", force=True, dry_run=True)
    assert path in server.last_line
    assert "dryRun=All" in server.last_line
    assert "force=true" in server.last_line
