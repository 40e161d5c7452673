"""What a server needs from whoever measures the pods: figures for Prometheus, and figures by job for ``sidings top``.

The node agent implements it, the server gets it handed in; neither imports the other.
"""

from __future__ import annotations

from typing import Any, Protocol

JOBS_PATH = "/telemetry/v1/jobs"
"""Where a server answers with ``{"jobs": Telemetry.jobs(...)}``; ``?namespace=`` narrows it, ``&course=true`` adds."""


class Telemetry(Protocol):
    """Measurements of pods and GPUs."""

    def exposition(self) -> str:
        """The last measurement in Prometheus' text format (0.0.4)."""
        ...

    def jobs(self, namespace: str = "", *, course: bool = False) -> list[dict[str, Any]]:
        """By job (``namespace``, ``kind``, ``name``) its ``ranks``; ``docs/telemetry.md`` describes the fields."""
        ...
