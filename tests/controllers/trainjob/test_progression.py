"""OpenShift AI's progression annotations, as pure functions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import progression
from sidings.controllers.trainjob.progression import Tracking

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def job(**annotations: str) -> Object:
    return {
        "metadata": {
            "annotations": {f"trainer.opendatahub.io/{key.replace('_', '-')}": v for key, v in annotations.items()}
        }
    }


@pytest.mark.parametrize(
    ("annotations", "tracking"),
    [
        ({}, None),
        ({"progression_tracking": "enabled"}, None),
        ({"progression_tracking": "true"}, Tracking(28080, 30)),
        ({"progression_tracking": "true", "metrics_port": "9000", "metrics_poll_interval": "1m"}, Tracking(9000, 60)),
        ({"progression_tracking": "true", "metrics_port": "80", "metrics_poll_interval": "2s"}, Tracking(28080, 5)),
        ({"progression_tracking": "true", "metrics_port": "x", "metrics_poll_interval": "7200"}, Tracking(28080, 300)),
    ],
)
def test_what_is_asked_for(annotations: dict[str, str], tracking: Tracking | None) -> None:
    assert progression.tracking_of(job(**annotations)) == tracking


@pytest.mark.parametrize(
    ("text", "report"),
    [
        ("no json", None),
        ("[]", None),
        ("{}", None),
        ('{"progressPercentage": 101, "currentStep": -1}', None),
        (
            '{"progressPercentage": 50.7, "currentEpoch": 1.5, "totalEpochs": 3, "trainMetrics": {"loss": 1}, "x": 1}',
            {"progressPercentage": 50, "currentEpoch": 1.5, "totalEpochs": 3, "trainMetrics": {"loss": 1}},
        ),
    ],
)
def test_what_a_node_serves(text: str, report: Object | None) -> None:
    assert progression.read(text) == report


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "less than a minute"),
        (59, "less than a minute"),
        (60, "1 minute"),
        (3725, "1 hour 2 minutes"),
        (183900, "2 days 3 hours"),
    ],
)
def test_summary(seconds: int, text: str) -> None:
    assert progression.summary(seconds) == text


def told(text: str | None) -> Any:
    return json.loads(text or "null")


def test_while_it_trains() -> None:
    shown = told(progression.running({"progressPercentage": 10, "estimatedRemainingSeconds": 120}, NOW))
    assert shown == {
        "progressPercentage": 10,
        "estimatedRemainingSeconds": 120,
        "estimatedRemainingTimeSummary": "2 minutes",
        "lastUpdatedTime": "2026-01-01T00:00:00Z",
    }


@pytest.mark.parametrize(
    ("last", "succeeded", "summary"),
    [
        ({"progressPercentage": 100}, True, "complete"),
        ({"progressPercentage": 60}, True, "complete (early stopped)"),
        (None, True, "early stopped"),
        (None, False, "failed at 40%"),
        ({"progressPercentage": 45}, False, "failed at 45%"),
    ],
)
def test_the_end(last: Object | None, succeeded: bool, summary: str) -> None:
    before = job(trainerStatus='{"progressPercentage": 40}')
    text = progression.ended(before, last, succeeded, NOW)
    assert told(text)["estimatedRemainingTimeSummary"] == summary
    assert progression.is_final(job(trainerStatus=text or ""))
    assert not progression.is_final(before)


def test_nothing_known_nothing_told() -> None:
    assert progression.ended(job(), None, True, NOW) is None
    assert not progression.is_final(job(trainerStatus="garbage"))
