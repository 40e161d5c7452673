"""Events of controllers; the recorder is the client's, because the node agent writes events as well."""

from __future__ import annotations

from sidings.client.events import EventNote, Recorder

__all__ = ["EventNote", "Recorder"]
