"""The status in the making: conditions and the events that tell of them.

A reason is the kind and a word (``PyTorchJobRunning``). Upstream writes some of these events on every pass; here an
event says that something changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sidings.api import objects, timestamps
from sidings.api.objects import Object
from sidings.api.training_operator import words
from sidings.controllers.runtime.plan import EventNote
from sidings.controllers.training_operator import job_conditions

RESUMED = "Resumed"


@dataclass
class Report:
    """``status`` is a private copy of the job's status, changed step by step."""

    job: Object
    now: datetime
    status: dict[str, Any]
    events: list[EventNote] = field(default_factory=list)

    @staticmethod
    def of(job: Object, now: datetime) -> Report:
        return Report(job, now, objects.copy_of(job.get("status") or {}))

    @property
    def kind(self) -> str:
        return str(self.job["kind"])

    def holds(self, type_: str) -> bool:
        return job_conditions.holds(self.status, type_)

    def put(self, type_: str, message: str, *, status: str = "True", word: str = "", tell: bool = True) -> None:
        """Set a condition; ``word`` is the end of its reason where that is not the type."""
        before = self.status.get("conditions") or []
        reason = self.kind + (word or type_)
        after = job_conditions.put(before, type_, status, reason, message, self.now)
        if after is before:
            return
        self.status["conditions"] = after
        if tell:
            self.note("Warning" if type_ == words.RESTARTING else "Normal", reason, message)

    def note(self, type_: str, reason: str, message: str) -> None:
        self.events.append(EventNote(self.job, type_, reason, message))

    def start(self) -> None:
        """The moment from which the deadline counts."""
        self.status["startTime"] = timestamps.to_text(self.now)

    def end(self) -> None:
        """The moment of completion; the first one stays."""
        self.status.setdefault("completionTime", timestamps.to_text(self.now))
