import random
from typing import Any

import pytest

from sidings.clock import SystemClock
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from sidings.server.telemetry import SCRAPER
from tests.server.conftest import Api, NoPods


class Measured:
    def exposition(self) -> str:
        return "# TYPE a gauge\na 1\n"

    def jobs(self, namespace: str = "", *, course: bool = False) -> list[dict[str, Any]]:
        return [{"namespace": namespace, "course": course}]


@pytest.fixture
def measured(api: Api) -> Api:
    tokens = StaticTokens({"t": ADMIN, "s": SCRAPER})
    api.app = App(api.registry, NoPods(), tokens, SystemClock(), random.Random(1), measured=Measured())
    return api


async def test_metrics_are_prometheus_text(measured: Api) -> None:
    answer = await measured("GET", "/metrics")
    assert answer.code == 200
    assert answer.body.endswith(b"# TYPE a gauge\na 1\n")
    assert answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8"
    assert (await measured("GET", "/metrics", authorization="")).code == 401
    assert (await measured("POST", "/metrics")).code == 404


async def test_figures_by_job_are_json(measured: Api) -> None:
    for query, course in (("", False), ("&course=true", True)):
        answer = await measured("GET", f"/telemetry/v1/jobs?namespace=fraud{query}")
        assert answer.json == {"jobs": [{"namespace": "fraud", "course": course}]}


async def test_a_scrapers_token_opens_the_metrics_alone(measured: Api) -> None:
    assert (await measured("GET", "/metrics", authorization="Bearer s")).code == 200
    for path in ("/telemetry/v1/jobs", "/api/v1/namespaces", "/version", "/metrics/"):
        refused = await measured("GET", path, authorization="Bearer s")
        assert refused.code == 403
        assert "sidings:scraper" in refused.message


async def test_without_anybody_who_measures_there_are_the_servers_own_alone(api: Api) -> None:
    answer = await api("GET", "/metrics")
    assert (answer.code, b"apiserver_current_inflight_requests" in answer.body) == (200, True)
    assert (await api("GET", "/telemetry/v1/jobs")).code == 404
