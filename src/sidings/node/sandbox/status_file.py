"""``status.json``: what a pod's shim knows, for readers that come later, also after its end."""

from __future__ import annotations

import json
from pathlib import Path

from sidings.node.sandbox.spec import SandboxStatus

SAVE_AGAIN_SECONDS = 1.0


class StatusFile:
    """The file in the pod's directory. A disk that is full must not end the pod: it is tried again later."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "status.json"
        self.unsaved = False

    def load(self) -> SandboxStatus | None:
        """What an earlier shim of the pod left; None for the first."""
        return SandboxStatus.from_json(json.loads(self._path.read_text())) if self._path.exists() else None

    def save(self, status: SandboxStatus) -> None:
        """Replace the content in one step; ``unsaved`` says whether that is still to be done."""
        fresh = self._path.with_suffix(".json.new")
        try:
            fresh.write_text(json.dumps(status.to_json()))
            fresh.replace(self._path)
        except OSError:
            self.unsaved = True
        else:
            self.unsaved = False
