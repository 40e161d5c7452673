"""The visibility API over what a scheduler knows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.status import BadRequest, MethodNotAllowed, NotFound
from sidings.server import visibility
from sidings.server.paths import ResourcePath, parse
from sidings.server.queries import Query

BASE = "/apis/visibility.kueue.x-k8s.io/v1beta2"


class Three:
    """Three Workloads wait."""

    def of_cluster_queue(self, name: str) -> list[Object]:
        if name != "cq":
            raise NotFound("no such queue")
        return [{"metadata": {"name": f"w{number}"}, "positionInClusterQueue": number} for number in range(3)]

    def of_local_queue(self, namespace: str, name: str) -> list[Object]:
        return self.of_cluster_queue("cq")[:1]


def ask(path: str, query: str = "", method: str = "GET", pending: Any = None) -> Any:
    parsed = parse(BASE + path)
    assert isinstance(parsed, ResourcePath)
    assert visibility.concerns(parsed)
    return json.loads(visibility.answer(method, parsed, Query(query.encode()), pending or Three()).body)


def test_a_page_of_those_who_wait() -> None:
    told = ask("/clusterqueues/cq/pendingworkloads", "limit=1&offset=1")
    assert told["kind"] == "PendingWorkloadsSummary"
    assert [item["metadata"]["name"] for item in told["items"]] == ["w1"]


def test_of_a_local_queue() -> None:
    assert len(ask("/namespaces/team/localqueues/lq/pendingworkloads")["items"]) == 1


@pytest.mark.parametrize(
    "path", ["/clusterqueues/other/pendingworkloads", "/clusterqueues/cq", "/cohorts/a/pendingworkloads"]
)
def test_what_is_not_there(path: str) -> None:
    with pytest.raises(NotFound):
        ask(path)


def test_what_makes_no_sense() -> None:
    with pytest.raises(BadRequest):
        ask("/clusterqueues/cq/pendingworkloads", "limit=many")
    with pytest.raises(MethodNotAllowed):
        ask("/clusterqueues/cq/pendingworkloads", method="POST")
