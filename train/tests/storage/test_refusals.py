"""Texts as obstore 0.12.1 gives them, shortened."""

from __future__ import annotations

import pytest

from sidings_train import NotThereError, StorageError
from sidings_train.storage.refusals import explained

REFUSED = (
    "Generic S3 error: Error performing list request: Error performing GET http://127.0.0.1:1/models in 132ms - Server "
    'returned non-2xx status code: 403 Forbidden: <?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>'
    "SignatureDoesNotMatch</Code><Message>Check your key.</Message></Error>\n\nDebug source:\nGeneric {\n"
)


def test_refused() -> None:
    error = explained(REFUSED, "cannot list s3://models", "models", missing=False)
    assert (error.what, error.cause) == ("cannot list s3://models: refused", "SignatureDoesNotMatch: Check your key.")
    assert "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY" in error.remedy


def test_no_bucket() -> None:
    error = explained(
        "Object at location x not found: ... <Error><Code>NoSuchBucket</Code></Error>", "cannot read", "models", True
    )
    assert type(error) is StorageError
    assert error.what == "cannot read: there is no bucket 'models'"
    assert error.remedy.startswith("create it: aws s3 mb s3://models; or look at AWS_ENDPOINT_URL")


def test_no_object() -> None:
    text = "Object at location x not found: ... <Error><Code>NoSuchKey</Code></Error>"
    assert isinstance(explained(text, "cannot read", "models", missing=True), NotThereError)


@pytest.mark.parametrize("code", ["InsufficientStorage", "XMinioStorageFull"])
def test_full(code: str) -> None:
    error = explained(f"507 ...: <Error><Code>{code}</Code></Error>", "cannot write", "models", missing=False)
    assert (error.cause, error.remedy) == (code, "make room on the server; or keep fewer checkpoints (keep=1)")


def test_no_answer() -> None:
    error = explained("HTTP error: error sending request\n\nDebug source", "cannot write", "models", missing=False)
    assert error.cause == "HTTP error: error sending request"
    assert error.remedy.startswith("look at the server and at AWS_ACCESS_KEY_ID")
