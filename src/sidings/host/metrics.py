"""``/metrics`` of a whole engine: its process, its store, its controllers, and what its nodes measure.

The API server puts its own figures before these.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil

from sidings.api import exposition
from sidings.api.telemetry import Telemetry
from sidings.host.control_plane import ControlPlane


class EngineTelemetry:
    """The telemetry of the node agent with the engine's own figures before it."""

    def __init__(self, plane: ControlPlane, nodes: Telemetry, store_file: Path) -> None:
        self._plane = plane
        self._nodes = nodes
        self._store_file = store_file
        self._process = psutil.Process()

    def exposition(self) -> str:
        return exposition.text([*self._process_lines(), *self._plane.metrics()]) + self._nodes.exposition()

    def jobs(self, namespace: str = "", *, course: bool = False) -> list[dict[str, Any]]:
        return self._nodes.jobs(namespace, course=course)

    def _process_lines(self) -> list[str]:
        with self._process.oneshot():
            cpu, memory = self._process.cpu_times(), self._process.memory_info()
            figures = (
                ("process_cpu_seconds_total", "counter", "CPU time of the engine.", cpu.user + cpu.system),
                ("process_resident_memory_bytes", "gauge", "Resident memory of the engine.", memory.rss),
                ("process_virtual_memory_bytes", "gauge", "Virtual memory of the engine.", memory.vms),
                ("process_open_fds", "gauge", "Open file descriptors of the engine.", self._process.num_fds()),
                ("process_start_time_seconds", "gauge", "When the engine started.", self._process.create_time()),
                ("apiserver_storage_size_bytes", "gauge", "Size of the database file.", self._store_bytes()),
            )
        return [
            line
            for name, type_, help_, value in figures
            for line in exposition.family(name, type_, help_, [({}, value)])
        ]

    def _store_bytes(self) -> int:
        """The file and its write-ahead log."""
        files = (self._store_file, self._store_file.with_name(f"{self._store_file.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())
