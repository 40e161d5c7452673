"""Sandboxes as root and as an ordinary user, in a directory that both can reach."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.node import clusters, sandboxes
from tests.node.clusters import Cluster
from tests.node.sandboxes import Sandboxes


@pytest.fixture
def state_dir() -> Iterator[Path]:
    """Not pytest's tmp_path: that is closed to other users."""
    with tempfile.TemporaryDirectory(prefix="sidings-test-", ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o755)
        yield Path(made) / "state"


@pytest.fixture(params=list(sandboxes.kinds()))
async def sandbox(request: pytest.FixtureRequest, state_dir: Path) -> AsyncIterator[Sandboxes]:
    async for made in sandboxes.opened(state_dir, request.param):
        yield made


@pytest.fixture
async def cluster(state_dir: Path) -> AsyncIterator[Cluster]:
    async for made in clusters.opened(state_dir):
        yield made
