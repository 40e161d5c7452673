"""What a run says of itself, in the three places where it may."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sidings.answers import progress
from sidings.answers.progress import Progress
from sidings.api.trainer.words import PROGRESSION

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
STAMP = "2026-11-30T12:00:00Z"
LINE = (
    "step 634/1902 33% loss 0.012346 107,412 rows/s ETA 3 min 5 s data 2% compute 85% communication 13% "
    "checkpoint 12 s ago MFU 35.4%"
)
FULL = Progress(634, 1902, 33, 0.012346, 107412.0, "rows", 185.0, 12.0, 0.02, 0.85, 0.13, 0.354, AT)


def train_job(status: dict[str, Any] | None = None, annotation: str | None = None) -> dict[str, Any]:
    annotations = {} if annotation is None else {PROGRESSION: annotation}
    return {
        "metadata": {"name": "a", "annotations": annotations},
        "status": {"trainerStatus": status} if status else {},
    }


def test_the_librarys_line() -> None:
    assert progress.in_log([f"{STAMP} {LINE}"]) == FULL


@pytest.mark.parametrize(
    ("line", "step", "total", "loss"),
    [
        ("epoch 2/3 step 400/1200 loss 0.05123 9,000 rows/s checkpoints 0.02 s", 400, 1200, 0.05123),
        ("checkpoint /work/c at step 200/1902", 200, 1902, None),
        ("Step: 7 | train_loss: 2.5e-3 | lr 1e-4", 7, None, 0.0025),
        ("step=12 loss=nan", 12, None, float("nan")),
        ("global step 5 of 10", 5, 10, None),
    ],
)
def test_lines_of_other_scripts(line: str, step: int, total: int | None, loss: float | None) -> None:
    found = progress.in_log([f"{STAMP} {line}"])
    assert found is not None
    assert (found.step, found.total, found.told) == (step, total, AT)
    assert found.loss == pytest.approx(loss, nan_ok=True)


@pytest.mark.parametrize(
    "line",
    [
        "resumed from /c/step-00000040/1 at step 40 (epoch 0, position 80, written by 2 ranks)",
        "stopped by SIGTERM at step 12, saved in 0.1 s",
        "next steps: see README",
        "loss 0.5",
        "",
    ],
)
def test_lines_that_do_not_tell(line: str) -> None:
    assert progress.in_log([f"{STAMP} {line}"]) is None


def test_the_newest_telling_line_counts() -> None:
    lines = [f"{STAMP} step 1/4 loss 2", f"{STAMP} step 2/4 loss 1", f"{STAMP} saved", f"{STAMP} step 9 was saved"]
    found = progress.in_log(lines)
    assert found is not None and (found.step, found.percent, found.loss) == (2, 50, 1.0)


def test_a_bar_that_rewrites_its_line_has_no_time_of_its_own() -> None:
    found = progress.in_log([f"{STAMP} begin", "step 5/10 loss 0.25"])
    assert found == Progress(step=5, total=10, percent=50, loss=0.25)


def test_strange_numbers_are_borne() -> None:
    found = progress.in_log([f"{STAMP} step 5/0 loss 1.2.3 ETA soon"])
    assert found == Progress(step=5, total=0, told=AT)


def test_the_status_of_a_train_job() -> None:
    status = {
        "progressPercentage": 33,
        "estimatedRemainingSeconds": 185,
        "lastUpdatedTime": STAMP,
        "metrics": [
            {"name": name, "value": value}
            for name, value in {
                "step": "634",
                "total_steps": "1902",
                "loss": "0.012346",
                "rows_per_second": "107412",
                "data_share": "0.02",
                "compute_share": "0.85",
                "communication_share": "0.13",
                "checkpoint_age_seconds": "12",
                "mfu": "0.354",
                "learning_rate": "1e-3",
                "note": "no number",
            }.items()
        ],
    }
    assert progress.of_job(train_job(status)) == FULL


def test_the_annotation_counts_where_there_is_no_status() -> None:
    report = {
        "progressPercentage": 30,
        "currentStep": 3,
        "totalSteps": 10,
        "trainMetrics": {"loss": 0.5, "tokens_per_second": 800.0},
        "lastUpdatedTime": STAMP,
    }
    expected = Progress(step=3, total=10, percent=30, loss=0.5, rate=800.0, unit="tokens", told=AT)
    assert progress.of_job(train_job(annotation=json.dumps(report))) == expected
    both = progress.of_job(train_job({"progressPercentage": 40, "lastUpdatedTime": STAMP}, json.dumps(report)))
    assert both == Progress(percent=40, told=AT)
    del report["progressPercentage"]
    assert progress.of_job(train_job(annotation=json.dumps(report))) == expected, "it follows from the steps"


@pytest.mark.parametrize("text", ["", "null", "[1]", "{", '"x"'])
def test_an_annotation_that_is_no_report(text: str) -> None:
    assert progress.of_job(train_job(annotation=text)) is None


def test_a_report_of_nonsense_says_nothing_and_breaks_nothing() -> None:
    report = {"progressPercentage": "half", "currentStep": "inf", "trainMetrics": [1], "lastUpdatedTime": 5}
    assert progress.of_job(train_job(annotation=json.dumps(report))) == Progress()


def test_what_was_told_grows_old() -> None:
    then = progress.aged(FULL, AT + timedelta(seconds=60))
    assert (then.remaining, then.checkpoint_age) == (125.0, 72.0)
    assert progress.aged(FULL, AT + timedelta(hours=1)).remaining == 0.0
    assert progress.aged(FULL, AT - timedelta(seconds=5)) == FULL, "clocks differ"
    assert progress.aged(Progress(remaining=5.0), AT) == Progress(remaining=5.0)


def test_for_programs() -> None:
    told = progress.to_json(FULL, AT)
    assert told["totalSteps"] == 1902
    assert told["lastUpdatedTime"] == STAMP
    assert progress.to_json(Progress(step=1, loss=float("nan")), AT) == {"step": 1, "loss": "nan"}
