"""RFC 3339 as Kubernetes writes it: ``metav1.Time`` to the second, ``metav1.MicroTime`` to the microsecond."""

from __future__ import annotations

from datetime import UTC, datetime


def to_text(moment: datetime) -> str:
    """``2026-11-30T12:00:00Z``: UTC, no fraction."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def to_micro_text(moment: datetime) -> str:
    """``2026-11-30T12:00:00.000001Z``."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def from_text(text: str) -> datetime:
    """Any RFC 3339 time; raises ``ValueError`` for anything else, also for one without a zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return moment
