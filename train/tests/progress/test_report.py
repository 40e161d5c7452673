"""One report in its three forms."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sidings_train.progress.report import Report

FULL = Report(
    step=634,
    total=1902,
    epoch=1,
    loss=0.0123456,
    rate=107_412.3,
    unit="rows",
    waiting=0.02,
    communicating=0.13,
    remaining=185.2,
    checkpoint_age=12.4,
    mfu=0.354,
)
BARE = replace(FULL, remaining=None, checkpoint_age=None, mfu=None)


def test_the_line() -> None:
    assert FULL.line() == (
        "step 634/1902 33% loss 0.012346 107,412 rows/s ETA 3 min 5 s data 2% compute 85% communication 13% "
        "checkpoint 12 s ago MFU 35.4%"
    )
    assert BARE.line().endswith("107,412 rows/s data 2% compute 85% communication 13%")


def test_before_the_first_step_nothing_is_said_of_steps() -> None:
    resumed = replace(BARE, loss=None, checkpoint_age=12.0)
    assert resumed.line() == "step 634/1902 33% checkpoint 12 s ago"
    assert resumed.progression()["trainMetrics"] == {"checkpoint_age_seconds": 12.0}


@pytest.mark.parametrize(("rate", "text"), [(2.5e9, "2,500,000,000"), (99.96, "100"), (0.0444, "0.0444"), (0.0, "0")])
def test_rates_of_steps_of_microseconds_and_of_minutes(rate: float, text: str) -> None:
    assert f"loss 0.012346 {text} rows/s ETA" in replace(FULL, rate=rate).line()


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59.6, "1 min 0 s"), (7_800, "2 h 10 min")])
def test_times(seconds: float, text: str) -> None:
    assert f"ETA {text} data" in replace(FULL, remaining=seconds).line()


def test_a_hundred_per_cent_is_the_last_step() -> None:
    assert [replace(FULL, step=step).percent for step in (0, 1901, 1902, 1903)] == [0, 99, 100, 100]


def test_the_trainer_status_has_text_for_values_and_a_time() -> None:
    status = FULL.trainer_status(datetime(2026, 11, 30, 12, tzinfo=UTC))["trainerStatus"]
    assert status["progressPercentage"] == 33
    assert status["estimatedRemainingSeconds"] == 185
    assert status["lastUpdatedTime"] == "2026-11-30T12:00:00Z"
    assert {"name": "rows_per_second", "value": "107412"} in status["metrics"]
    assert {"name": "mfu", "value": "0.354"} in status["metrics"]
    assert status["metrics"][:2] == [{"name": "step", "value": "634"}, {"name": "total_steps", "value": "1902"}]
    bare = BARE.trainer_status(datetime(2026, 11, 30, 12, tzinfo=UTC))["trainerStatus"]
    assert "estimatedRemainingSeconds" not in bare
    assert {"checkpoint_age_seconds", "mfu"}.isdisjoint(metric["name"] for metric in bare["metrics"])


def test_the_progression_is_json_even_when_the_loss_is_lost() -> None:
    document = FULL.progression()
    assert {name: document[name] for name in ("currentStep", "totalSteps", "currentEpoch")} == {
        "currentStep": 634,
        "totalSteps": 1902,
        "currentEpoch": 1,
    }
    assert document["trainMetrics"]["loss"] == 0.0123456
    lost = replace(BARE, loss=float("nan")).progression()
    assert "loss" not in lost["trainMetrics"]
    json.dumps(lost, allow_nan=False)


def test_an_evaluation_is_told_beside_the_training() -> None:
    report = replace(FULL, evaluation={"auc": 0.99954321, "loss": float("inf")}, evaluated_at=600)
    assert report.evaluation_line() == "step 634/1902 33% evaluated: auc 0.99954 loss inf"
    metrics = report.trainer_status(datetime(2026, 11, 30, 12, tzinfo=UTC))["trainerStatus"]["metrics"]
    assert {"name": "eval_auc", "value": "0.999543"} in metrics
    assert report.progression()["evalMetrics"] == {"auc": 0.99954321}
    assert "evalMetrics" not in FULL.progression()


def test_a_point_of_a_curve_is_drawn_once() -> None:
    found = {"auc": 0.5}
    trained = replace(FULL, steps=4, evaluation=found, evaluated_at=600).scalars()
    assert trained["train/loss"] == 0.0123456 and trained["train/epoch"] == 1.0
    assert "eval/auc" not in trained
    assert replace(FULL, steps=0, evaluation=found, evaluated_at=634).scalars() == {"eval/auc": 0.5}
    assert (replace(FULL, steps=4).first_step, FULL.first_step) == (631, 635)
