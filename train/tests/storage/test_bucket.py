"""S3 against moto's server. The Python that has moto is named by SIDINGS_MOTO_PYTHON; without it this is skipped."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
import torch
from two_ranks import free_port

from sidings_train import Checkpoints, NotThereError, StorageError, TrainState, World
from sidings_train.storage.bucket import Bucket

MOTO = os.environ.get("SIDINGS_MOTO_PYTHON", "")
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not MOTO:
        pytest.skip("SIDINGS_MOTO_PYTHON names no Python with moto[server]")
    pytest.importorskip("obstore")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    log = (tmp_path_factory.mktemp("moto") / "log").open("w")
    with log, subprocess.Popen([MOTO, "-m", "moto.server", "-p", str(port)], stdout=log, stderr=log) as server:
        try:
            _put(f"{url}/models")
            yield url
        finally:
            server.kill()


def _put(url: str) -> None:
    """Make the bucket, as soon as the server answers."""
    ends = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(urllib.request.Request(url, method="PUT")).close()
            return
        except (urllib.error.URLError, ConnectionError):
            assert time.monotonic() < ends, "moto's server does not answer"
            time.sleep(0.05)


def bucket(endpoint: str, name: str = "models", prefix: str = "run", **env: str) -> Bucket:
    return Bucket(name, prefix, {"AWS_ENDPOINT_URL": endpoint, **KEYS, **env})


def test_what_is_written_is_listed_and_read(endpoint: str) -> None:
    place = bucket(endpoint, prefix="a/b")
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


def test_an_upload_that_fails_shows_nothing(endpoint: str) -> None:
    place = bucket(endpoint, prefix="torn")
    with pytest.raises(ZeroDivisionError), place.create("step-1/x/data") as sink:
        sink.write(bytes(20_000_000))
        raise ZeroDivisionError
    assert place.list() == {}


def test_the_names_of_an_openshift_ai_connection(endpoint: str) -> None:
    place = Bucket("models", "run", {"AWS_S3_ENDPOINT": endpoint, "AWS_DEFAULT_REGION": "us-east-1", **KEYS})
    place.put("x", b"1")
    assert place.get("x") == b"1"


def test_what_is_not_there_is_said(endpoint: str) -> None:
    with pytest.raises(NotThereError, match=r"s3://models/run/step-1: not there"):
        bucket(endpoint).get("step-1")


def test_a_bucket_that_is_not_there_is_said(endpoint: str) -> None:
    place = bucket(endpoint, "vanished")
    for attempt in (lambda: place.list("step-"), lambda: place.put("x", b"1"), lambda: place.get("x")):
        with pytest.raises(StorageError, match="there is no bucket 'vanished'"):
            attempt()


def test_a_server_that_is_gone_is_said_in_bounded_time() -> None:
    pytest.importorskip("obstore")
    place = bucket(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(StorageError, match="look at the server and at AWS_ACCESS_KEY_ID"):
        place.list()


def test_checkpoints_go_there_and_back(endpoint: str, alone: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"AWS_ENDPOINT_URL": endpoint, **KEYS}.items():
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
    assert {name.split("/")[0] for name in bucket(endpoint, prefix="whole").list()} == {"step-00000003"}
