"""Whether a request was signed with our keys: AWS Signature Version 4, in a header or in the query of a presigned URL.

(docs.aws.amazon.com, "Authenticating Requests (AWS Signature Version 4)".) The body is covered by its sha256, which the
headers name and ``payload`` checks; the signatures inside of a chunked body are not looked at.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from urllib.parse import quote, unquote

from sidings.s3.errors import S3Error

ALGORITHM = "AWS4-HMAC-SHA256"
UNSIGNED = "UNSIGNED-PAYLOAD"
SKEW = timedelta(minutes=15)
_UNRESERVED = "-_.~"


class Keys(NamedTuple):
    identifier: str
    secret: str


class Request(NamedTuple):
    """``path`` as it was sent, ``query`` decoded in order, ``headers`` by lower-case name."""

    method: str
    path: str
    query: Sequence[tuple[str, str]]
    headers: Mapping[str, str]


class _Claim(NamedTuple):
    credential: str
    signed: str
    signature: str
    moment: str
    payload: str
    lifetime: timedelta | None


def verify(request: Request, keys: Keys, now: datetime) -> None:
    """Raises ``S3Error`` for a request that nobody signed, another's, a changed one or an old one."""
    claim = _claim(request)
    identifier, _, scope = claim.credential.partition("/")
    if identifier != keys.identifier:
        raise S3Error("InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.")
    _in_time(claim, now)
    if scope.partition("/")[0] != claim.moment[:8] or "host" not in claim.signed.split(";"):
        raise S3Error("SignatureDoesNotMatch", "The scope or the signed headers are incomplete.")
    wanted = sign(request, claim.signed, claim.payload, claim.moment, scope, keys.secret)
    if not hmac.compare_digest(wanted.encode(), claim.signature.encode()):
        raise S3Error(
            "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided. Check your key.",
        )


def sign(request: Request, signed: str, payload: str, moment: str, scope: str, secret: str) -> str:
    """The signature of ``request`` over the headers ``signed`` (``a;b``), in hexadecimal."""
    query = sorted((_quoted(name), _quoted(value)) for name, value in request.query if name != "X-Amz-Signature")
    canonical = "\n".join(
        (
            request.method,
            quote(unquote(request.path), safe=f"/{_UNRESERVED}"),
            "&".join(f"{name}={value}" for name, value in query),
            "".join(f"{name}:{' '.join(request.headers.get(name, '').split())}\n" for name in signed.split(";")),
            signed,
            payload,
        )
    )
    text = "\n".join((ALGORITHM, moment, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


def _claim(request: Request) -> _Claim:
    query = dict(request.query)
    if "X-Amz-Signature" in query:
        expires = query.get("X-Amz-Expires", "")
        return _Claim(
            query.get("X-Amz-Credential", ""),
            query.get("X-Amz-SignedHeaders", ""),
            query["X-Amz-Signature"],
            query.get("X-Amz-Date", ""),
            UNSIGNED,
            timedelta(seconds=int(expires) if expires.isdecimal() and len(expires) < 8 else 0),
        )
    algorithm, _, rest = request.headers.get("authorization", "").partition(" ")
    if algorithm != ALGORITHM:
        raise S3Error("AccessDenied", "Requests must be signed with AWS Signature Version 4.")
    fields = dict(field.strip().partition("=")[::2] for field in rest.split(","))
    return _Claim(
        fields.get("Credential", ""),
        fields.get("SignedHeaders", ""),
        fields.get("Signature", ""),
        request.headers.get("x-amz-date", ""),
        request.headers.get("x-amz-content-sha256", UNSIGNED),
        None,
    )


def _in_time(claim: _Claim, now: datetime) -> None:
    try:
        moment = datetime.strptime(claim.moment, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise S3Error("AccessDenied", "The request has no date of the form 20260131T235959Z.") from error
    if claim.lifetime is not None:
        if not moment - SKEW <= now <= moment + claim.lifetime:
            raise S3Error("AccessDenied", "Request has expired")
    elif abs(now - moment) > SKEW:
        raise S3Error(
            "RequestTimeTooSkewed", "The difference between the request time and the current time is too large."
        )


def _quoted(text: str) -> str:
    return quote(text, safe=_UNRESERVED)
