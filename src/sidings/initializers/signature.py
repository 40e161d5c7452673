"""AWS Signature Version 4 for GET requests without a body (docs.aws.amazon.com, "AWS Signature Version 4")."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

_EMPTY = hashlib.sha256(b"").hexdigest()
_ALGORITHM = "AWS4-HMAC-SHA256"


class Keys(NamedTuple):
    identifier: str
    secret: str
    region: str


def signed_headers(url: str, keys: Keys, now: datetime) -> Mapping[str, str]:
    """The headers that sign ``GET url``; path and query of ``url`` are encoded and the query is sorted."""
    parts = urlsplit(url)
    moment, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    headers = {"host": parts.netloc, "x-amz-content-sha256": _EMPTY, "x-amz-date": moment}
    names = ";".join(sorted(headers))
    listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join(("GET", parts.path or "/", parts.query, listed, names, _EMPTY))
    scope = f"{day}/{keys.region}/s3/aws4_request"
    text = "\n".join((_ALGORITHM, moment, scope, hashlib.sha256(request.encode()).hexdigest()))
    key = f"AWS4{keys.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    credential = f"Credential={keys.identifier}/{scope}"
    return {
        "x-amz-content-sha256": _EMPTY,
        "x-amz-date": moment,
        "Authorization": f"{_ALGORITHM} {credential}, SignedHeaders={names}, Signature={signature}",
    }
