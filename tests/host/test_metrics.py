"""``/metrics`` of an engine without nodes: its process, store and controllers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sidings.host.control_plane import ControlPlane
from sidings.host.metrics import EngineTelemetry
from tests import control_planes

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


class Nodes:
    def exposition(self) -> str:
        return "# of nodes\n"

    def jobs(self, namespace: str = "", *, course: bool = False) -> list[dict[str, Any]]:
        return [{"namespace": namespace, "course": course}]


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    async for made in control_planes.running():
        yield made


async def test_an_engine_tells_of_itself_and_of_its_nodes(plane: ControlPlane, tmp_path: Path) -> None:
    (tmp_path / "objects.db").write_bytes(bytes(100))
    (tmp_path / "objects.db-wal").write_bytes(bytes(23))
    telemetry = EngineTelemetry(plane, Nodes(), tmp_path / "objects.db")
    lines = telemetry.exposition().splitlines()
    assert "apiserver_storage_size_bytes 123" in lines
    assert 'apiserver_storage_objects{resource="namespaces"} 5' in lines
    assert any(line.startswith('workqueue_depth{name="garbage-collector"}') for line in lines)
    assert any(line.startswith("process_resident_memory_bytes ") for line in lines)
    assert lines[-1] == "# of nodes"
    assert telemetry.jobs("n", course=True) == [{"namespace": "n", "course": True}]
