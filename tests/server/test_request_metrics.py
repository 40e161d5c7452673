"""What the server tells of its own requests."""

from __future__ import annotations

from sidings.server.paths import ResourcePath, parse
from sidings.server.request_metrics import labels_of
from tests.server.conftest import CONFIG_MAPS, Api, config_map


def labels(method: str, path: str, *, watch: bool = False) -> tuple[str, ...]:
    found = parse(path)
    assert isinstance(found, ResourcePath)
    return labels_of(method, found, watch=watch)


def test_verbs_and_scopes_are_those_of_kube_apiserver() -> None:
    assert labels("GET", "/api/v1/pods") == ("LIST", "", "v1", "pods", "", "cluster")
    assert labels("GET", "/api/v1/namespaces/n/pods", watch=True) == ("WATCH", "", "v1", "pods", "", "namespace")
    assert labels("GET", "/api/v1/namespaces/n/pods/p/log") == ("GET", "", "v1", "pods", "log", "resource")
    assert labels("PATCH", "/apis/batch/v1/namespaces/n/jobs/j/status") == (
        "PATCH", "batch", "v1", "jobs", "status", "resource",
    )  # fmt: skip


def test_clients_cannot_make_labels_up() -> None:
    assert labels("BREW", "/api/v1/namespaces/n/pods/p/anything")[::4] == ("OTHER", "")
    assert labels_of("BREW", None) == ("OTHER", "", "", "", "", "")


async def test_requests_are_counted_by_verb_resource_and_code(api: Api) -> None:
    assert (await api("POST", CONFIG_MAPS, config_map())).code == 201
    assert (await api("GET", f"{CONFIG_MAPS}/nobody")).code == 404
    assert (await api("GET", "/apis/made.up/v1/things")).code == 404
    told = (await api("GET", "/metrics")).body.decode()
    assert (
        'apiserver_request_total{verb="POST",group="",version="v1",resource="configmaps",subresource="",'
        'scope="namespace",code="201"} 1'
    ) in told
    assert (
        'apiserver_request_duration_seconds_count{verb="GET",group="",version="v1",resource="configmaps",'
        'subresource="",scope="resource"} 1'
    ) in told
    assert "made.up" not in told
