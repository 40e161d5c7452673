"""A script as pods of an engine: suspended, resumed, its pods deleted, and the same as in peace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, wait_for
from tests.verify_resume import counting

pytestmark = pytest.mark.e2e

FRAUD = Path(__file__).parents[2] / "examples" / "fraud-detection"
SMALL = ("--cards", "40", "--batch-size", "256", "--epochs", "8", "--checkpoint-every", "20")
MANNERS = {
    "suspended",
    "suspended, newest checkpoint torn",
    "pod deleted",
    "pod deleted without grace",
    "SIGKILL of a rank",
}


def test_every_interruption_of_pods(machine: Machine) -> None:
    machine.ok("up")
    options = ("--engine", "--interruptions", "5", "--ranks", "1", "--seed", "7", "-o", "json")
    told = machine.ok("train", "verify-resume", *options, counting.__file__, "--", "--steps", "400", timeout=600)
    verdict = json.loads(told)
    assert verdict["identical"], verdict
    assert {one["manner"] for one in verdict["made"]} == MANNERS
    assert "SIGKILL of rank 0" in [one["done"] for one in verdict["made"]]
    assert machine.objects("jobsets") == []
    assert machine.objects("pods") == []


def test_checkpoints_in_the_s3_in_the_box(machine: Machine) -> None:
    pytest.importorskip("obstore")
    machine.ok("up", "--s3", "--s3-folder", str(machine.folder / "buckets"))
    wait_for(lambda: machine.try_kubectl("get", "secret", "s3").returncode == 0)
    options = ("--engine", "--interruptions", "1", "--ranks", "1", "--seed", "1")
    given = ("--checkpoints", "s3://data/run", "--steps", "200")
    told = machine.ok("train", "verify-resume", *options, counting.__file__, "--", *given, timeout=600)
    assert "identical after 1 interruptions" in told
    assert list((machine.folder / "buckets" / "data").rglob("*.bin")) == [], "nothing is left of it"


def test_a_script_that_fails_leaves_no_pods(machine: Machine) -> None:
    machine.ok("up")
    done = machine.sidings("train", "verify-resume", "--engine", counting.__file__, "--", "--fail-at", "3")
    assert done.returncode == 1
    assert "the disk is on fire" in done.stderr
    assert "error[SCRIPT_FAILED]: start 1 of the script ended with an error" in done.stderr
    assert machine.objects("pods") == []


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["train.py", "train_with_library.py"])
def test_fifty_interruptions_of_pods(machine: Machine, name: str) -> None:
    machine.ok("up")
    options = ("--engine", "--interruptions", "50", "--seed", "7", "-o", "json")
    told = machine.ok("train", "verify-resume", *options, str(FRAUD / name), "--", *SMALL, timeout=3600)
    verdict = json.loads(told)
    assert verdict["identical"], verdict
    assert len(verdict["made"]) == 50
