"""Signatures: the example of AWS's own documentation, presigned URLs, clocks that differ."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sidings.s3.errors import S3Error
from sidings.s3.signature import Keys, Request, sign, verify
from tests.s3.requests import KEYS, MOMENT, NOW, SCOPE, signed

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_the_documented_example() -> None:
    """docs.aws.amazon.com, "Signature Calculations for the Authorization Header", example GET Object."""
    headers = {
        "host": "examplebucket.s3.amazonaws.com",
        "range": "bytes=0-9",
        "x-amz-content-sha256": EMPTY,
        "x-amz-date": "20130524T000000Z",
    }
    found = sign(
        Request("GET", "/test.txt", [], headers),
        ";".join(headers),
        EMPTY,
        headers["x-amz-date"],
        "20130524/us-east-1/s3/aws4_request",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    )
    assert found == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"


@pytest.mark.parametrize(("late", "code"), [(14, ""), (16, "RequestTimeTooSkewed"), (-16, "RequestTimeTooSkewed")])
def test_a_clock_may_differ_by_a_quarter_of_an_hour(late: int, code: str) -> None:
    request = Request("GET", "/data", [], signed("GET", "/data", "", {}, EMPTY))
    assert refused(request, NOW + timedelta(minutes=late)) == code


@pytest.mark.parametrize(("seconds", "code"), [(59, ""), (61, "AccessDenied")])
def test_a_presigned_url_ends(seconds: int, code: str) -> None:
    query = [
        ("X-Amz-Credential", f"{KEYS.identifier}/{SCOPE}"),
        ("X-Amz-Date", MOMENT),
        ("X-Amz-Expires", "60"),
        ("X-Amz-SignedHeaders", "host"),
    ]
    asked = Request("GET", "/data/a", query, {"host": "s3"})
    signature = sign(asked, "host", "UNSIGNED-PAYLOAD", MOMENT, SCOPE, KEYS.secret)
    asked = asked._replace(query=[*query, ("X-Amz-Signature", signature)])
    assert refused(asked, NOW + timedelta(seconds=seconds)) == code


@pytest.mark.parametrize("moment", ["", "yesterday"])
def test_a_request_without_a_date(moment: str) -> None:
    headers = signed("GET", "/data", "", {}, EMPTY)
    assert refused(Request("GET", "/data", [], {**headers, "x-amz-date": moment}), NOW) == "AccessDenied"


def refused(request: Request, now: datetime, keys: Keys = KEYS) -> str:
    """The code with which it is; "" where it is not."""
    assert now.tzinfo is UTC
    try:
        verify(request, keys, now)
    except S3Error as problem:
        return problem.code
    return ""
