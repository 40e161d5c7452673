"""Reports of progress (cases S1 to S10 of the Trainer's status server)."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.resources import TRAIN_JOBS
from tests.server.conftest import Answer, Api

MOMENT = "2026-01-01T00:00:00Z"


class Pod:
    """A pod of TrainJob ``tj`` in namespace ``n``, which reports with a token of its own."""

    def __init__(self, api: Api, token: str) -> None:
        self.api = api
        self.token = token

    async def report(self, body: Any, *, job: str = "tj", method: str = "POST", token: str | None = None) -> Answer:
        url = "/apis/" + audience(job)
        given = self.token if token is None else token
        return await self.api(method, url, body, authorization=f"Bearer {given}" if given else "")

    async def status(self) -> Object | None:
        found = (await self.api("GET", TRAIN_JOBS.path("n", "tj"))).json
        status: Object | None = (found.get("status") or {}).get("trainerStatus")
        return status


def audience(job: str = "tj", namespace: str = "n") -> str:
    return f"trainer.kubeflow.org/v1alpha1/namespaces/{namespace}/trainjobs/{job}/status"


async def token(api: Api, namespace: str, *audiences: str) -> str:
    """Of the service account ``s`` of ``namespace``, which is made."""
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    await api("POST", accounts, {"metadata": {"name": "s"}})
    made = await api("POST", f"{accounts}/s/token", {"spec": {"audiences": list(audiences)}})
    return str(made.json["status"]["token"])


@pytest.fixture
async def pod(api: Api) -> Pod:
    job: Object = {
        "apiVersion": TRAIN_JOBS.api_version,
        "kind": TRAIN_JOBS.kind,
        "metadata": {"name": "tj"},
        "spec": {"runtimeRef": {"name": "rt"}},
    }
    assert (await api("POST", TRAIN_JOBS.path("n"), job)).code == 201
    return Pod(api, await token(api, "n", audience(), audience("none")))


async def test_a_report_is_shown_and_echoed(pod: Pod) -> None:
    metrics = [{"name": "loss", "value": "0.25"}]
    report = {"trainerStatus": {"progressPercentage": 50, "metrics": metrics, "lastUpdatedTime": MOMENT}}
    answer = await pod.report(report)
    assert (answer.code, answer.json) == (200, report)
    assert await pod.status() == report["trainerStatus"]


async def test_the_next_report_replaces_all_of_it(pod: Pod) -> None:
    first = {"progressPercentage": 40, "metrics": [{"name": "loss", "value": "1"}], "lastUpdatedTime": MOMENT}
    await pod.report({"trainerStatus": first})
    second = {"progressPercentage": 60, "lastUpdatedTime": MOMENT}
    await pod.report({"trainerStatus": second})
    assert await pod.status() == second


@pytest.mark.parametrize("empty", [{}, {"trainerStatus": {}}, {"trainerStatus": None}])
async def test_an_empty_report_changes_nothing(pod: Pod, empty: Object) -> None:
    status = {"progressPercentage": 40, "lastUpdatedTime": MOMENT}
    await pod.report({"trainerStatus": status})
    assert (await pod.report(empty)).code == 200
    assert await pod.status() == status


@pytest.mark.parametrize(
    ("status", "part"),
    [
        ({"progressPercentage": 150, "lastUpdatedTime": MOMENT}, 'TrainJob.trainer.kubeflow.org "tj" is invalid'),
        ({"progressPercentage": 50}, "lastUpdatedTime is required when trainerStatus is present"),
    ],
)
async def test_what_the_api_refuses(pod: Pod, status: Object, part: str) -> None:
    answer = await pod.report({"trainerStatus": status})
    assert (answer.code, answer.json["reason"]) == (422, "Invalid")
    assert part in answer.message
    assert await pod.status() is None


async def test_a_job_that_is_not_there(pod: Pod) -> None:
    answer = await pod.report({"trainerStatus": {"lastUpdatedTime": MOMENT}}, job="none")
    assert (answer.code, answer.json["reason"], answer.message) == (404, "NotFound", "Train job not found")


async def test_a_token_for_something_else(pod: Pod) -> None:
    for given in ("", "garbage", "t", await token(pod.api, "n"), await token(pod.api, "n", audience("other"))):
        answer = await pod.report({}, token=given)
        assert (answer.code, answer.json["reason"], answer.message) == (403, "Forbidden", "Forbidden")


async def test_a_token_of_another_namespace(pod: Pod) -> None:
    await pod.api("POST", "/api/v1/namespaces", {"metadata": {"name": "m"}})
    assert (await pod.report({}, token=await token(pod.api, "m", audience()))).code == 403


@pytest.mark.parametrize("body", [b"no json", b"[]", b'{"trainerStatus": 1}', b"\xff"])
async def test_what_is_no_report(pod: Pod, body: bytes) -> None:
    answer = await pod.report(body)
    assert (answer.code, answer.json["reason"], answer.message) == (422, "Invalid", "Invalid payload")


async def test_too_long(pod: Pod) -> None:
    answer = await pod.report(b" " * (64 * 1024 + 1))
    assert (answer.code, answer.message) == (413, "Payload too large")


async def test_its_token_opens_nothing_else(pod: Pod) -> None:
    assert (await pod.report(None, method="GET")).code == 401
