"""Recorded decisions of the real scheduler (Kueue main of August 2026): named cases and random ones."""

import gzip
import json
from pathlib import Path

import pytest

from sidings.queue import replay

RECORDINGS = Path(__file__).parent / "recordings"
CASES = [case for file in sorted(RECORDINGS.glob("*.json.gz")) for case in replay.load(file)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_was_decided_is_decided_again(case: replay.Case) -> None:
    assert list(replay.differences(case)) == []


def test_a_difference_is_told_with_its_place() -> None:
    case = json.loads(json.dumps(CASES[0]))
    case["expect"]["workloads"]["w"]["status"] = "pending"
    case["expect"]["events"] = ["w Normal Nothing: of the kind"]
    told = list(replay.differences(case))
    assert 'workloads.w.status: expected "pending", got "admitted"' in told
    assert "events: expected 'w Normal Nothing: of the kind'" in told
    assert len(told) == 4, "both events that did happen are told too"


def test_a_file_may_be_gzipped_or_not(tmp_path: Path) -> None:
    text = json.dumps(CASES[:2])
    (tmp_path / "plain.json").write_text(text)
    (tmp_path / "packed").write_bytes(gzip.compress(text.encode()))
    assert replay.load(tmp_path / "plain.json") == replay.load(tmp_path / "packed") == CASES[:2]


@pytest.mark.parametrize(
    "text", ["{}", "[1]", '[{"name": "x", "objects": [], "cycles": "1", "expect": {}}]', "nonsense"]
)
def test_a_file_without_cases_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(ValueError):
        replay.load(tmp_path / "file")


def test_who_was_leaving_before_the_first_cycle_has_left_before_the_second() -> None:
    case = json.loads(json.dumps(next(case for case in CASES if case["name"].startswith("E24"))))
    case["cycles"] = 2
    states = replay.play(case)["workloads"]
    assert {name: state["status"] for name, state in states.items()} == {
        "in": "admitted",
        "x": "pending",
        "y": "admitted",
    }
    assert states["x"]["message"] == "x", "the message of its condition Evicted"
