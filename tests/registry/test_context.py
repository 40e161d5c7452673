"""What callers see when the disk does not take a write."""

from __future__ import annotations

import random

import pytest

from sidings.api import catalog
from sidings.api.resources import NAMESPACES
from sidings.api.status import InternalError
from sidings.clock import ManualClock
from sidings.registry.registry import Registry
from sidings.store.log import MemoryLog
from sidings.store.store import Store


async def test_a_full_disk_is_an_api_error_that_says_how_to_mend_it() -> None:
    log = MemoryLog(room=10)
    registry = Registry(Store.in_memory(log=log), catalog.builtin(), ManualClock(), random.Random(1))
    kind = registry.catalog.by_plural("", "v1", NAMESPACES.plural)
    assert kind is not None
    with pytest.raises(InternalError, match=r"^Internal error occurred: no space left in memory \(mend it: raise the"):
        await registry.create(kind, {"metadata": {"name": "n"}})
    log.room = None
    assert (await registry.create(kind, {"metadata": {"name": "n"}}))["metadata"]["name"] == "n"
