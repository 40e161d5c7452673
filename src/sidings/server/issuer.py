"""``/.well-known/openid-configuration`` and ``/openid/v1/jwks``: how others verify tokens of service accounts.

Documents, media types and who may read them (every service account) are kube-apiserver's
(``pkg/routes/openidmetadata.go`` and ``system:service-account-issuer-discovery``, v1.36).
"""

from __future__ import annotations

from typing import Any

from sidings.server.requests import Request
from sidings.server.responses import Response, encode
from sidings.server.service_account_tokens import ISSUER, ServiceAccountTokens
from sidings.server.signing_key import ALGORITHM

CONFIGURATION_PATH = "/.well-known/openid-configuration"
KEYS_PATH = "/openid/v1/jwks"
PATHS = (CONFIGURATION_PATH, KEYS_PATH)
CACHE_CONTROL = b"public, max-age=3600"
"""Whoever verifies tokens may keep both documents for an hour."""


def answer(request: Request, tokens: ServiceAccountTokens) -> Response | None:
    """The document at the request's path, or None where that is another one."""
    if request.method != "GET":
        return None
    path = request.path.rstrip("/")
    if path == CONFIGURATION_PATH:
        return Response(200, encode(_configuration(request.text(b"host"))), cache_control=CACHE_CONTROL)
    if path == KEYS_PATH:
        keys = encode({"keys": [tokens.key.jwk()]})
        return Response(200, keys, b"application/jwk-set+json", cache_control=CACHE_CONTROL)
    return None


def _configuration(host: str) -> dict[str, Any]:
    return {
        "issuer": ISSUER,
        "jwks_uri": f"https://{host}{KEYS_PATH}",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
    }
