"""Real torchrun, real signals: scripts that resume exactly, that do not, and that cannot be judged."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from sidings.verify_resume.errors import NoCheckpoint, NoLosses, ScriptFailed
from sidings.verify_resume.interruptions import Manner
from sidings.verify_resume.outage import Outage
from sidings.verify_resume.torchrun import Torchrun
from sidings.verify_resume.verification import Verdict, Verification
from tests.s3.served import served
from tests.verify_resume import counting

pytestmark = pytest.mark.e2e
COUNTING = Path(counting.__file__)
FRAUD = Path(__file__).parents[2] / "examples" / "fraud-detection" / "train.py"
SMALL = ("--cards", "40", "--batch-size", "256", "--epochs", "4", "--checkpoint-every", "20")


def verify(
    work: Path,
    script: Path,
    *arguments: str,
    count: int,
    ranks: int = 1,
    seed: int = 7,
    s3: Mapping[str, str] | None = None,
    launched: type[Torchrun] = Torchrun,
) -> Verdict:
    environ = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")} | (s3 or {})
    before = set(psutil.Process().children(recursive=True))
    launcher = launched(script, ranks, environ, Outage(s3["AWS_ENDPOINT_URL"]) if s3 else None)
    try:
        return Verification(launcher, script, arguments, ranks, Path.cwd(), work, environ, print).run(count, seed)
    finally:
        launcher.close()
        assert not set(psutil.Process().children(recursive=True)) - before, "processes are left behind"


def test_a_state_that_is_forgotten_is_found(tmp_path: Path) -> None:
    verdict = verify(tmp_path, COUNTING, "--forget", count=1)
    assert not verdict.holds
    assert verdict.losses is not None
    assert verdict.losses.attempt == 2
    assert verdict.losses.step <= verdict.made[0]["step"] + 5
    assert verdict.weights["difference"] == "its bytes"


def test_checkpoints_of_another_run_are_left_alone(tmp_path: Path) -> None:
    given = ("--checkpoint-dir", str(tmp_path / "c"), "--steps", "3")
    (tmp_path / "work").mkdir()
    old = tmp_path / "c" / "interrupted" / "step-00001.bin"
    old.parent.mkdir(parents=True)
    old.write_text("[1, 5]")
    with pytest.raises(NoCheckpoint, match="interrupted is of another run"):
        verify(tmp_path / "work", COUNTING, *given, count=1)
    assert old.read_text() == "[1, 5]"


def test_checkpoints_that_both_runs_share_are_said(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with pytest.raises(NoCheckpoint, match="went on where the run in peace had ended") as caught:
        verify(tmp_path / "work", COUNTING, "--share", str(tmp_path / "c"), "--steps", "20", count=1)
    assert "{run}/checkpoints" in caught.value.remedy


def test_what_cannot_be_judged_says_why(tmp_path: Path) -> None:
    for number, (arguments, error) in enumerate(
        [(("--fail-at", "3"), ScriptFailed), (("--silent", "--steps", "3"), NoLosses)]
    ):
        work = tmp_path / str(number)
        work.mkdir()
        with pytest.raises(error) as caught:
            verify(work, COUNTING, *arguments, count=1)
        assert caught.value.remedy
        if error is ScriptFailed:
            assert "the disk is on fire" in caught.value.cause


class Starving(Torchrun):
    """Whose bucket fails, and nothing else."""

    manners = (Manner.STARVE,)


def test_a_bucket_that_fails_for_a_while(tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    (tmp_path / "s3" / "models").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    given = ("--checkpoints", "s3://models/run")
    with served(tmp_path / "s3") as s3:
        verdict = verify(tmp_path / "work", COUNTING, *given, count=1, s3=s3, launched=Starving)
    assert verdict.holds, verdict
    assert all("S3" in one["done"] for one in verdict.made)
    kept = {path.relative_to(tmp_path / "s3" / "models").parts[:2] for path in (tmp_path / "s3").rglob("*.bin")}
    assert kept == {("run", "uninterrupted"), ("run", "interrupted")}


@pytest.mark.slow
@pytest.mark.timeout(1800)  # seven starts of torchrun
def test_the_plain_fraud_script_resumes_exactly(tmp_path: Path) -> None:
    verdict = verify(tmp_path, FRAUD, *SMALL, count=5, ranks=2, seed=2)  # the last at half of the steps
    assert verdict.holds, verdict
    assert {one["manner"] for one in verdict.made} == set(Torchrun(FRAUD, 2, {}).manners)
    assert verdict.losses_compared >= 2 * verdict.steps
    assert verdict.weights["tensors"] > 20


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_fifty_interruptions_with_checkpoints_in_a_bucket(tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    (tmp_path / "s3" / "models").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    script, given = FRAUD.parent / "train_with_library.py", ("--checkpoints", "s3://models/run")
    with served(tmp_path / "s3") as s3:
        verdict = verify(tmp_path / "work", script, *SMALL, "--epochs", "8", *given, count=50, ranks=2, s3=s3)
    assert verdict.holds, verdict
    assert len(verdict.made) == 50


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["train.py", "train_with_library.py"])
def test_fifty_interruptions(name: str, tmp_path: Path) -> None:
    verdict = verify(tmp_path, FRAUD.parent / name, *SMALL, "--epochs", "8", count=50, ranks=2)
    assert verdict.holds, verdict
    assert len(verdict.made) == 50
