"""Kinds that are named and never run."""

import json

import pytest

from tests.server.conftest import Served

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@pytest.mark.parametrize(
    "path",
    ["/apis/apps/v1/deployments", "/apis/apps/v1/namespaces/n/statefulsets", "/apis/apps/v1/controllerrevisions"],
)
async def test_there_are_none(api, path):
    answer = await api("GET", path)
    assert (answer.code, answer.json["items"]) == (200, [])
    assert int(answer.json["metadata"]["resourceVersion"]) > 0
    assert (await api("GET", path, accept=TABLE)).json["rows"] == []


async def test_making_one_is_refused_with_what_to_make(api):
    answer = await api("POST", "/apis/apps/v1/namespaces/n/deployments", {"metadata": {"name": "d"}})
    assert (answer.code, answer.message) == (
        405,
        "deployments.apps are not run by this engine: make a Pod, Job, JobSet or TrainJob, and a Service to reach it",
    )


async def test_prune_works(served: Served) -> None:
    def manifest(*names: str) -> str:
        items = [
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"app": "x"}}}
            for name in names
        ]
        return "\n---\n".join(json.dumps(item) for item in items)

    prune = ("apply", "--prune", "-l", "app=x", "-f", "-")
    first = await served.kubectl(*prune, stdin=manifest("a", "b"))
    assert first.code == 0, first.err
    second = await served.kubectl(*prune, stdin=manifest("a"))
    assert (second.code, "configmap/b pruned" in second.out) == (0, True), second
