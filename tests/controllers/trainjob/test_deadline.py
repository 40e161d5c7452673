"""activeDeadlineSeconds (cases C8, C9)."""

from __future__ import annotations

from datetime import UTC, datetime

from sidings.controllers.trainjob.deadline import deadline_of
from tests.trainjobs import train_job

RESUMED = {"type": "Suspended", "status": "False", "lastTransitionTime": "2026-01-01T01:00:00Z"}


def test_counts_from_creation() -> None:
    assert deadline_of(train_job(activeDeadlineSeconds=90)) == datetime(2026, 1, 1, 0, 1, 30, tzinfo=UTC)


def test_counts_anew_after_a_resume() -> None:
    job = train_job(activeDeadlineSeconds=90) | {"status": {"conditions": [RESUMED]}}
    assert deadline_of(job) == datetime(2026, 1, 1, 1, 1, 30, tzinfo=UTC)


def test_stands_still_while_suspended() -> None:
    assert deadline_of(train_job(activeDeadlineSeconds=90, suspend=True)) is None


def test_none_without_one() -> None:
    assert deadline_of(train_job()) is None
