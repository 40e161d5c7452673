"""Single requests that are made to hurt: each is refused with its reason, and the next one is served."""

from __future__ import annotations

import pytest

from sidings.server.limits import BODY_BYTES
from tests.server.conftest import CONFIG_MAPS, Api, config_map

DEPTH = 10_000


@pytest.fixture
async def api() -> Api:
    made = Api()
    assert (await made("POST", "/api/v1/namespaces", {"metadata": {"name": "n"}})).code == 201
    return made


async def is_well(api: Api) -> bool:
    return (await api("GET", "/api/v1/namespaces/n")).code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_oversized_bodies(api: Api, method: str) -> None:
    url = CONFIG_MAPS if method == "POST" else f"{CONFIG_MAPS}/a"
    answer = await api(method, url, b'{"data":{"a":"' + b"x" * BODY_BYTES + b'"}}')
    assert (answer.code, answer.json["reason"]) == (413, "RequestEntityTooLarge")
    assert await is_well(api)


@pytest.mark.parametrize("kind", ["application/json", "application/yaml"])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
async def test_ten_thousand_levels(api: Api, kind: str, opening: str, closing: str) -> None:
    deep = opening * DEPTH + "1" + closing * DEPTH
    for body in (deep, f'{{"metadata":{{"name":"a"}},"data":{deep}}}'):
        answer = await api("POST", CONFIG_MAPS, body.encode(), content_type=kind)
        assert answer.code == 400, answer.body[:300]
    for patch in ("application/merge-patch+json", "application/json-patch+json", "application/apply-patch+yaml"):
        answer = await api("PATCH", f"{CONFIG_MAPS}/a", deep.encode(), content_type=patch)
        assert answer.code in (400, 404, 415), answer.body[:300]
    assert await is_well(api)


async def test_a_yaml_bomb(api: Api) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    answer = await api("POST", CONFIG_MAPS, "\n".join(lines).encode(), content_type="application/yaml")
    assert answer.code == 400
    assert await is_well(api)


@pytest.mark.parametrize("body", [b'{"data":{"a":"\xff\xfe"}}', b"\xc3", b"\x00", b"k8s\x00\xff\xff\xff\xff", b""])
@pytest.mark.parametrize("kind", ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"])
async def test_what_is_no_text(api: Api, kind: str, body: bytes) -> None:
    answer = await api("POST", CONFIG_MAPS, body, content_type=kind)
    assert answer.code in (400, 422)
    assert answer.json["kind"] == "Status"


async def test_fields_given_twice(api: Api) -> None:
    twice = b'{"metadata":{"name":"a"},"data":{"x":"1"},"data":{"x":"2"}}'
    answer = await api("POST", f"{CONFIG_MAPS}?fieldValidation=Strict", twice)
    assert (answer.code, 'duplicate field "data"' in answer.message) == (400, True)
    answer = await api("POST", CONFIG_MAPS, twice)
    assert (answer.code, answer.json["data"]) == (201, {"x": "2"})


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/namespaces/n/../../../../etc/passwd",
        "/api/v1/namespaces/n/configmaps/%2e%2e%2f%2e%2e%2fsecrets",
        "/api/v1/namespaces/n/configmaps/a%2fstatus",
        "/api//v1/namespaces",
        "/api/v1/namespaces/n/configmaps/a\x00b",
        "/api/v1/namespaces/n/configmaps/" + "a" * 8000,
        "/apis/../api/v1/namespaces",
        "/openapi/v3/../../api/v1/secrets",
        "/" + "a/" * 4000,
    ],
)
async def test_paths_lead_nowhere_else(api: Api, path: str) -> None:
    await api("POST", CONFIG_MAPS, config_map("a"))
    answer = await api("GET", path)
    assert answer.code in (400, 403, 404), answer.body[:200]


@pytest.mark.parametrize("path", ["/api/v1/namespaces", "/metrics", "/version", "/openapi/v3", "/apis", "/nowhere"])
async def test_without_a_credential_nothing_answers(api: Api, path: str) -> None:
    for authorization in ("", "Bearer wrong", "Basic dDp0", "Bearer", "bearer t t"):
        assert (await api("GET", path, authorization=authorization)).code == 401, authorization
    for health in ("/healthz", "/livez", "/readyz"):
        assert (await api("GET", health, authorization="")).body == b"ok"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example.com"},
        {"host": "localhost.evil.example.com:7443"},
        {"host": ""},
        {"origin": "https://evil.example.com"},
        {"origin": "null"},
        {"origin": "http://localhost:1"},
    ],
)
async def test_pages_and_names_of_others_are_refused_with_any_token(api: Api, headers: dict[str, str]) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        answer = await api(method, "/api/v1/namespaces", **headers)
        assert answer.code == 403
        assert not any(name.startswith("access-control") for name, _ in answer.headers)
