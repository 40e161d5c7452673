"""A verifier that knows nothing but the JWKS, and what pods are told of it."""

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256

from sidings.host.default_objects import default_objects
from sidings.server import issuer
from tests.server.conftest import Api


def _number(text: str) -> int:
    return int.from_bytes(base64.urlsafe_b64decode(text + "=="))


def _part(text: str) -> Any:
    return json.loads(base64.urlsafe_b64decode(text + "=="))


@pytest.fixture
async def api() -> Api:
    made = Api()
    for resource, obj in default_objects():
        kind = made.registry.catalog.by_plural(*resource[:3])
        assert kind is not None
        await made.registry.create(kind, obj)
    await made("POST", "/api/v1/namespaces", {"metadata": {"name": "n"}})
    await made("POST", "/api/v1/namespaces/n/serviceaccounts", {"metadata": {"name": "sa"}})
    return made


async def _token(api: Api) -> str:
    answer = await api("POST", "/api/v1/namespaces/n/serviceaccounts/sa/token", {"spec": {"audiences": ["vault"]}})
    assert answer.code == 201
    return str(answer.json["status"]["token"])


async def test_a_token_can_be_verified_by_what_the_issuer_publishes(api: Api) -> None:
    token = await _token(api)
    configuration = (await api("GET", issuer.CONFIGURATION_PATH)).json
    assert configuration["jwks_uri"].startswith("https://localhost")
    assert configuration["id_token_signing_alg_values_supported"] == ["RS256"]
    answer = await api("GET", issuer.KEYS_PATH)
    assert dict(answer.headers)["content-type"] == "application/jwk-set+json"
    header, claims, signature = token.split(".")
    (key,) = [key for key in answer.json["keys"] if key["kid"] == _part(header)["kid"]]
    assert (_part(header)["alg"], _part(claims)["iss"]) == (key["alg"], configuration["issuer"])
    public = rsa.RSAPublicNumbers(_number(key["e"]), _number(key["n"])).public_key()
    raw = base64.urlsafe_b64decode(signature + "==")
    public.verify(raw, f"{header}.{claims}".encode(), padding.PKCS1v15(), SHA256())


async def test_service_accounts_may_read_it_and_nobody_without_a_token(api: Api) -> None:
    answer = await api("POST", "/api/v1/namespaces/n/serviceaccounts/sa/token", {})
    bearer = f"Bearer {answer.json['status']['token']}"
    for path in issuer.PATHS:
        answer = await api("GET", path, authorization=bearer)
        assert (answer.code, dict(answer.headers)["cache-control"]) == (200, "public, max-age=3600")
        assert (await api("GET", path, authorization="")).code == 401
        assert (await api("POST", path, {})).code == 404
