"""Discovery, OpenAPI and version as they are asked for."""

from tests.server.conftest import Api


async def test_documents(api: Api) -> None:
    assert (await api("GET", "/api", accept="application/json")).json["versions"] == ["v1"]
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
    aggregated = await api("GET", "/apis", accept=accept)
    assert aggregated.header("content-type") == "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    assert aggregated.json["kind"] == "APIGroupDiscoveryList"
    for path in (await api("GET", "/")).json["paths"]:
        assert (await api("GET", path)).code == 200, path
    url = (await api("GET", "/openapi/v3")).json["paths"]["api/v1"]["serverRelativeURL"]
    assert (await api("GET", url)).json["openapi"] == "3.0.0"


async def test_documents_follow_the_catalog(api: Api) -> None:
    assert (await api("GET", "/apis/batch/v1")).code == 200
    api.registry.catalog = api.registry.catalog.without("batch", "jobs").without("batch", "cronjobs")
    assert (await api("GET", "/apis/batch/v1")).code == 404
    assert "apis/batch/v1" not in (await api("GET", "/openapi/v3")).json["paths"]
