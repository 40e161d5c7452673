"""The examples of Amazon's documentation ("Examples: Signature Calculations", S3 API reference)."""

from datetime import UTC, datetime

import pytest

from sidings.initializers.signature import Keys, signed_headers

KEYS = Keys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1")


@pytest.mark.parametrize(
    ("query", "signature"),
    [
        ("lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ],
)
def test_signature(query: str, signature: str) -> None:
    url = f"https://examplebucket.s3.amazonaws.com/?{query}"
    headers = signed_headers(url, KEYS, datetime(2013, 5, 24, tzinfo=UTC))
    assert headers["Authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        f"SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature={signature}"
    )
