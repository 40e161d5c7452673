"""A script as pods of an engine: suspended, resumed, its pods deleted, and the same as in peace."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.machine import Done, Machine, wait_for
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


def verify(machine: Machine, *words: str, timeout: float = 600) -> Done:
    machine.environ["TMPDIR"] = str(machine.folder)  # where everything stays if it fails
    return machine.sidings("train", "verify-resume", "--engine", *words, timeout=timeout)


def verdict_of(done: Done) -> dict[str, Any]:
    assert done.returncode == 0, done.stdout + done.stderr
    verdict: dict[str, Any] = json.loads(done.stdout)
    return verdict


def test_every_interruption_of_pods(machine: Machine) -> None:
    machine.ok("up")
    options = ("--interruptions", "5", "--ranks", "1", "--seed", "7", "-o", "json")
    verdict = verdict_of(verify(machine, *options, counting.__file__, "--", "--steps", "400"))
    assert {one["manner"] for one in verdict["made"]} == MANNERS
    assert "SIGKILL of rank 0" in [one["done"] for one in verdict["made"]]
    assert machine.objects("jobsets") == []
    assert machine.objects("pods") == []


def test_checkpoints_in_the_s3_in_the_box(machine: Machine) -> None:
    pytest.importorskip("obstore")
    machine.ok("up", "--s3", "--s3-folder", str(machine.folder / "buckets"))
    wait_for(lambda: machine.try_kubectl("get", "secret", "s3").returncode == 0)
    options = ("--interruptions", "1", "--ranks", "1", "--seed", "1", "-o", "json")
    given = ("--checkpoints", "s3://data/run", "--steps", "200")
    assert len(verdict_of(verify(machine, *options, counting.__file__, "--", *given))["made"]) == 1
    assert list((machine.folder / "buckets" / "data").rglob("*.bin")) == [], "nothing is left of it"


def test_a_script_that_fails_leaves_no_pods(machine: Machine) -> None:
    machine.ok("up")
    done = verify(machine, counting.__file__, "--", "--fail-at", "3")
    assert done.returncode == 1
    assert "the disk is on fire" in done.stderr
    assert "error[SCRIPT_FAILED]: start 1 of the script ended with an error" in done.stderr
    assert machine.objects("pods") == []


QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: none}
spec: {hard: {pods: "0"}}
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_pods_that_wait_are_explained_and_an_interruption_leaves_nothing(
    machine: Machine, number: signal.Signals
) -> None:
    machine.ok("up")
    machine.apply(QUOTA)
    work = machine.folder / "work"
    work.mkdir()
    machine.environ["TMPDIR"] = str(work)
    running = machine.start("train", "verify-resume", "--engine", counting.__file__)
    assert running.stderr is not None
    told = next(line for line in running.stderr if line.startswith("start 1 waits: "))
    assert "exceeded quota: none" in told
    running.send_signal(number)
    running.communicate(timeout=120)
    assert running.returncode == 130
    assert machine.objects("jobsets") == []
    assert list(work.iterdir()) == []


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["train.py", "train_with_library.py"])
def test_fifty_interruptions_of_pods(machine: Machine, name: str) -> None:
    machine.ok("up")
    options = ("--interruptions", "50", "--seed", "7", "-o", "json")
    verdict = verdict_of(verify(machine, *options, str(FRAUD / name), "--", *SMALL, timeout=3600))
    assert len(verdict["made"]) == 50
