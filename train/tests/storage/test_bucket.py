"""S3, against each server that is there."""

from __future__ import annotations

import pytest
import torch
from s3_servers import S3, SECRET, Moto
from two_ranks import free_port

from sidings_train import Checkpoints, NotThereError, StorageError, TrainState, World
from sidings_train.storage.bucket import Bucket

NOBODY = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": SECRET}


@pytest.fixture(scope="module")
def server(s3: S3) -> S3:
    s3.make("models")
    return s3


def bucket(server: S3, name: str = "models", prefix: str = "run", **env: str) -> Bucket:
    return Bucket(name, prefix, server.environ | env)


def test_what_is_written_is_listed_and_read(server: S3) -> None:
    place = bucket(server, prefix="a/b")
    assert place.list("step-") == {}
    with place.create("step-1/x/data") as sink:
        buffer = bytearray(524_290)
        for _ in range(40):  # 20 MB: more than one part, from a buffer that is used again
            buffer[:] = b"0123456789" * 52_429
            sink.write(memoryview(buffer))
            buffer[:] = bytes(len(buffer))
    place.put("step-1/x/manifest.json", b"{}")
    place.put("step-2/x/data", b"12345")
    assert place.list("step-") == {"step-1/x/data": 20_971_600, "step-1/x/manifest.json": 2, "step-2/x/data": 5}
    assert place.list("step-1/x/") == {"step-1/x/data": 20_971_600, "step-1/x/manifest.json": 2}
    assert place.read("step-1/x/data", 20_971_595, 5) == b"56789"
    assert place.get("step-2/x/data") == b"12345"
    place.delete(["step-1/x/manifest.json", "step-1/x/never"])
    assert set(place.list("step-")) == {"step-1/x/data", "step-2/x/data"}


def test_an_upload_that_fails_shows_nothing(server: S3) -> None:
    place = bucket(server, prefix="torn")
    with pytest.raises(ZeroDivisionError), place.create("step-1/x/data") as sink:
        sink.write(bytes(20_000_000))
        raise ZeroDivisionError
    assert place.list() == {}


def test_the_names_of_an_openshift_ai_connection(server: S3) -> None:
    environ = server.environ
    environ["AWS_S3_ENDPOINT"] = environ.pop("AWS_ENDPOINT_URL")
    place = Bucket("models", "run", {**environ, "AWS_DEFAULT_REGION": "us-east-1"})
    place.put("x", b"1")
    assert place.get("x") == b"1"


def test_what_is_not_there_is_said(server: S3) -> None:
    with pytest.raises(NotThereError, match=f"s3://models/run/step-1 at {server.url}: not there"):
        bucket(server).get("step-1")


def test_a_bucket_that_is_not_there_is_said(server: S3) -> None:
    place = bucket(server, "never-made")
    for attempt in (lambda: place.list("step-"), lambda: place.put("x", b"1"), lambda: place.get("x")):
        with pytest.raises(StorageError, match=f"at {server.url}: there is no bucket 'never-made'") as caught:
            attempt()
        assert "aws s3 mb s3://never-made" in caught.value.remedy


def test_credentials_that_are_wrong_are_not_said_but_named(server: S3) -> None:
    if isinstance(server, Moto):
        pytest.skip("moto asks for no credentials")
    for wrong in ({"AWS_ACCESS_KEY_ID": "other"}, {"AWS_SECRET_ACCESS_KEY": "not-" + SECRET}):
        with pytest.raises(StorageError, match=f"cannot list s3://models/run/step- at {server.url}: refused") as caught:
            bucket(server, **wrong).list("step-")
        assert "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY" in caught.value.remedy
        assert SECRET not in str(caught.value)


def test_a_server_that_is_gone_is_said_in_bounded_time() -> None:
    pytest.importorskip("obstore")
    with free_port() as port:
        url = f"http://127.0.0.1:{port}"
        place = Bucket("models", "run", {"AWS_ENDPOINT_URL": url, **NOBODY})
        with pytest.raises(StorageError, match=f"at {url}\n(.|\n)*look at the server and at AWS_ACCESS_KEY_ID"):
            place.list()


def test_checkpoints_go_there_and_back(server: S3, alone: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in server.environ.items():
        monkeypatch.setenv(name, value)
    state = TrainState(torch.nn.Linear(3, 3), recipe={"batch": 1})
    with Checkpoints("s3://models/whole", alone, state, every=1, keep=1) as checkpoints:
        for _ in range(3):
            state.advance(1)
            checkpoints.after_step()
        checkpoints.save()
    again = TrainState(torch.nn.Linear(3, 3), recipe={"batch": 1})
    assert Checkpoints("s3://models/whole", alone, again).resume()
    assert again.step == 3
    assert torch.equal(again.model.weight, state.model.weight)
    assert {name.split("/")[0] for name in bucket(server, prefix="whole").list()} == {"step-00000003"}
