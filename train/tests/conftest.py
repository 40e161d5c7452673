from __future__ import annotations

from collections.abc import Iterator

import pytest
from s3_servers import S3, SERVERS
from two_ranks import Pair

import sidings_train
from sidings_train import World


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    """Two processes that stay: each call runs a function of a test file as ranks 0 and 1.

    Anew for each file: what one leaves behind in torch must not be the next one's hang.
    """
    pair = Pair()
    yield pair
    pair.close()


@pytest.fixture
def alone() -> Iterator[World]:
    """A world of one, in the test's own process."""
    with sidings_train.start() as world:
        yield world


@pytest.fixture(scope="session", params=SERVERS)
def s3(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    """Each of the S3 servers that are there."""
    pytest.importorskip("obstore")
    with SERVERS[request.param](tmp_path_factory.mktemp("s3")) as server:
        yield server
