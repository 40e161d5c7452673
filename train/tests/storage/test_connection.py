from __future__ import annotations

import pytest

from sidings_train import StorageError
from sidings_train.storage.connection import from_environment

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}


def test_a_data_connection_of_openshift_ai() -> None:
    connection = from_environment(
        {"AWS_S3_ENDPOINT": "http://minio:9000", "AWS_DEFAULT_REGION": "eu", "AWS_S3_BUCKET": "b", **KEYS}
    )
    assert (connection.place, connection.plain) == ("http://minio:9000", True)
    assert connection.config == {
        "endpoint": "http://minio:9000",
        "region": "eu",
        "access_key_id": "key",
        "secret_access_key": "secret",
    }


def test_amazons_own() -> None:
    connection = from_environment(KEYS)
    assert (connection.endpoint, connection.place, connection.plain) == (None, "Amazon", False)
    assert connection.config["region"] == "us-east-1"


def test_the_most_special_name_of_an_endpoint_counts() -> None:
    endpoints = {"AWS_ENDPOINT_URL": "https://all", "AWS_ENDPOINT_URL_S3": "https://s3", "AWS_S3_ENDPOINT": ""}
    assert from_environment({**endpoints, **KEYS}).endpoint == "https://s3"


@pytest.mark.parametrize("address", ["minio:9000", "127.0.0.1:9000", "s3.example.com", "ftp://minio", "http://"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(StorageError, match=f"AWS_S3_ENDPOINT={address} is no address of an S3 server") as caught:
        from_environment({"AWS_S3_ENDPOINT": address, **KEYS})
    assert caught.value.remedy == "AWS_S3_ENDPOINT=http://HOST:PORT, or https://HOST"


@pytest.mark.parametrize(
    ("env", "missing"),
    [
        ({"AWS_ENDPOINT_URL": "http://minio:9000"}, "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"),
        ({"AWS_ENDPOINT_URL": "http://minio:9000", "AWS_SECRET_ACCESS_KEY": "geheim"}, "AWS_ACCESS_KEY_ID"),
        ({"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": ""}, "AWS_SECRET_ACCESS_KEY"),
    ],
)
def test_nobody_asks(env: dict[str, str], missing: str) -> None:
    with pytest.raises(StorageError, match=r"no credentials for the S3 server (http://minio:9000|Amazon)") as caught:
        from_environment(env)
    assert caught.value.cause == f"not set: {missing}"
    assert "envFrom" in caught.value.remedy
    assert "geheim" not in str(caught.value)


def test_who_asks_may_be_known_without_keys() -> None:
    assert from_environment({}).config == {"region": "us-east-1"}
    from_environment({"AWS_ENDPOINT_URL": "http://minio:9000", "AWS_WEB_IDENTITY_TOKEN_FILE": "/token"})
