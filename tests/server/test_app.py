"""What every request passes, and what becomes of errors."""

import pytest

from sidings.server.limits import BODY_BYTES
from tests.server.conftest import CONFIG_MAPS, JOB_SETS, Api, config_map


async def test_nobody_is_anonymous(api: Api) -> None:
    for url in ("/api/v1/pods", "/api", "/version", "/openapi/v3", "/", "/nowhere"):
        for authorization in ("", "Bearer nope"):
            answer = await api("GET", url, authorization=authorization)
            assert answer.json == {
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Failure",
                "message": "Unauthorized",
                "reason": "Unauthorized",
                "code": 401,
            }
            assert answer.code == 401


async def test_health_is_open(api: Api) -> None:
    alive = await api("GET", "/livez", authorization="", host="anything")
    assert (alive.code, alive.body, alive.header("content-type")) == (200, b"ok", "text/plain; charset=utf-8")


async def test_other_hosts_and_origins(api: Api) -> None:
    assert (await api("GET", "/version", host="evil.example")).code == 403
    assert (await api("GET", "/version", origin="https://evil.example")).code == 403
    assert (await api("GET", "/version/")).code == 200


async def test_bodies_that_cannot_be_read(api: Api) -> None:
    answer = await api("POST", CONFIG_MAPS, b'{"a":')
    assert (answer.code, answer.message) == (
        400,
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: "
        'unexpected end of JSON input ({"a":)',
    )
    answer = await api("POST", CONFIG_MAPS, b"x", content_type="text/plain")
    assert (answer.code, answer.message) == (
        415,
        "the body of the request was in an unknown format - accepted media types include: application/json, "
        "application/yaml, application/vnd.kubernetes.protobuf",
    )
    answer = await api("POST", CONFIG_MAPS, b" " * (BODY_BYTES + 1))
    assert (answer.code, answer.message) == (413, "Request entity too large: limit is 3145728")
    answer = await api("POST", CONFIG_MAPS, chunks=[b" " * BODY_BYTES, b" "])
    assert answer.code == 413
    for path, text in (
        (f"{CONFIG_MAPS}/a", "415: Unsupported Media Type"),
        (
            f"{JOB_SETS}/a",
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        ),
    ):
        answer = await api("PATCH", path, {}, content_type="text/plain")
        assert (answer.code, answer.message) == (415, text)


async def test_a_bug_is_an_error_answer(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert (await api("POST", "/api/v1/namespaces/n/pods", pod)).code == 201
    node = {"target": {"kind": "Node", "name": "node-1"}}
    assert (await api("POST", "/api/v1/namespaces/n/pods/p/binding", node)).code == 201
    answer = await api("GET", "/api/v1/namespaces/n/pods/p/log")
    assert (answer.code, answer.json["reason"]) == (500, "InternalError")
    assert answer.message == "Internal error occurred: RuntimeError: a bug in the node"
    assert "a bug in the node" in caplog.text


async def test_a_full_disk_says_so_and_how_to_mend_it(api: Api) -> None:
    api.disk.room = 10
    answer = await api("POST", CONFIG_MAPS, config_map("a"))
    assert (answer.code, answer.message) == (
        500,
        "Internal error occurred: no space left in memory (mend it: raise the room)",
    )
    api.disk.room = None
    assert (await api("POST", CONFIG_MAPS, config_map("a"))).code == 201
