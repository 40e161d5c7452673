from __future__ import annotations

from collections.abc import Iterator

import pytest
from two_ranks import Pair


@pytest.fixture(scope="session")
def pair() -> Iterator[Pair]:
    """Two processes that stay: each call runs a function of a test file as ranks 0 and 1."""
    pair = Pair()
    yield pair
    pair.close()
