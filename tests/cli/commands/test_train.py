"""The command line of verify-resume: whose arguments are whose, and what cannot be verified."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from sidings.cli import main
from sidings.cli.commands import train
from sidings.cli.errors import ExitCode
from sidings.verify_resume.comparison import Difference
from sidings.verify_resume.errors import NoSpace
from sidings.verify_resume.verification import Verdict
from tests.cli.consoles import console, err, invocation, out
from tests.e2e.machine import wait_for
from tests.verify_resume import counting

COUNTING = counting.__file__


def parsed(*words: str) -> tuple[str, int, str, list[str]]:
    args = main.build_parser("train").parse_args(["train", "verify-resume", *words])
    return args.script, args.interruptions, args.output, args.arguments


def run(folder: Path, *words: str) -> tuple[int, str, str]:
    it = invocation(folder, dict(os.environ, TMPDIR=str(folder)))
    args = main.build_parser("train").parse_args(["train", "verify-resume", *words])
    return main.run_guarded(args, it), out(it.console), err(it.console)


def test_options_may_stand_before_and_after_the_script() -> None:
    wanted = ("s.py", 9, "json", ["--epochs", "2", "--", "-o"])
    rest = ("--", "--epochs", "2", "--", "-o")
    assert parsed("--interruptions", "9", "-o", "json", "s.py", *rest) == wanted
    assert parsed("s.py", "--interruptions", "9", "-o", "json", *rest) == wanted
    assert parsed("--interruptions", "9", "s.py", "-o", "json", *rest) == wanted
    assert parsed("s.py") == ("s.py", 5, "text", [])


@pytest.mark.parametrize(
    "words", [("s.py", "--epochs", "2"), ("s.py", "--interruptions", "0"), ("s.py", "more"), (), ("s.py", "--ranks=x")]
)
def test_wrong_usage_is_2(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parsed(*words)
    assert end.value.code == ExitCode.USAGE
    told = capsys.readouterr().err
    assert "sidings train verify-resume" in told
    assert ("come after --" in told) == (words in [("s.py", "--epochs", "2"), ("s.py", "more")])


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    code, _, told = run(tmp_path, "missing.py")
    assert (code, told.splitlines()[0]) == (ExitCode.USAGE, "error[USAGE]: missing.py: no such file")


def test_a_folder_is_no_script(tmp_path: Path) -> None:
    code, _, told = run(tmp_path, ".")
    assert (code, told.splitlines()[0]) == (ExitCode.USAGE, "error[USAGE]: .: a folder")


def test_without_a_place_for_the_runs_it_asks_for_one(tmp_path: Path) -> None:
    it = invocation(tmp_path, dict(os.environ, TMPDIR="gone"))
    args = main.build_parser("train").parse_args(["train", "verify-resume", COUNTING])
    assert main.run_guarded(args, it) == ExitCode.USAGE
    assert "error[USAGE]: no folder can be made in gone" in err(it.console)
    assert "TMPDIR=/PATH" in err(it.console)


def test_a_full_disk_is_no_bug(tmp_path: Path) -> None:
    with pytest.raises(NoSpace, match="is full"), train._explained(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(FileNotFoundError), train._explained(tmp_path):
        (tmp_path / "missing").read_text()


@pytest.mark.e2e
def test_who_ends_it_ends_all_that_it_started(tmp_path: Path) -> None:
    given = ("--ranks", "1", COUNTING, "--", "--steps", "100000", "--checkpoint-dir", str(tmp_path / "c"))
    command = (sys.executable, "-m", "sidings", "train", "verify-resume", *given)
    (tmp_path / "work").mkdir()
    with subprocess.Popen(command, env=dict(os.environ, TMPDIR=str(tmp_path / "work"))) as running:
        wait_for(lambda: any(tmp_path.glob("c/*/step-*")))
        started = psutil.Process(running.pid).children(recursive=True)
        running.send_signal(signal.SIGTERM)
        assert running.wait() == ExitCode.INTERRUPTED
    assert len(started) >= 2, "torchrun and a rank"
    assert not any(process.is_running() for process in started)
    assert list(tmp_path.rglob("*")) in ([tmp_path / "c", tmp_path / "work"], [tmp_path / "work", tmp_path / "c"])


def test_without_an_engine_it_says_how_to_start_one(tmp_path: Path) -> None:
    it = invocation(tmp_path, dict(os.environ, TMPDIR=str(tmp_path), SIDINGS_HOME=str(tmp_path / "home")))
    args = main.build_parser("train").parse_args(["train", "verify-resume", "--engine", COUNTING])
    assert main.run_guarded(args, it) != ExitCode.OK
    assert "sidings up" in err(it.console)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.e2e
def test_a_verified_run_leaves_nothing(tmp_path: Path) -> None:
    given = ("--interruptions", "2", "--ranks", "1", "--seed", "7", COUNTING, "-o", "json")
    code, told, progress = run(tmp_path, *given, "--", "--checkpoint-dir", str(tmp_path / "c"))
    verdict = json.loads(told)
    assert (code, verdict["identical"], verdict["seed"], verdict["steps"]) == (ExitCode.OK, True, 7, 200)
    assert len(verdict["made"]) == 2
    assert verdict["losses_compared"] >= 200
    assert progress.startswith("seed 7\nthe run in peace prints to ")
    assert list(tmp_path.rglob("*")) == [tmp_path / "c"]


@pytest.mark.e2e
def test_a_run_without_an_answer_leaves_everything(tmp_path: Path) -> None:
    code, told, progress = run(tmp_path, "--ranks", "1", COUNTING, "--", "--silent", "--steps", "2")
    [work] = tmp_path.iterdir()
    assert (code, told) == (ExitCode.FAILED, "")
    assert f"all output and checkpoints: {work}\nerror[NO_LOSSES]: " in progress
    assert (work / "uninterrupted" / "output-1.log").exists()


def test_the_first_difference_is_told() -> None:
    verdict = Verdict(7, 2, 100, {}, 3, gone_on=1, weights={"tensors": 4, "bytes": 1000, "difference": "model.w"})
    verdict.losses = Difference(31, 1, "0.5", "0.51", 2)
    verdict.made.append({"step": 30, "manner": "SIGTERM", "done": "SIGTERM"})
    shown = console()
    train.show(verdict, shown, "text")
    assert out(shown).splitlines() == [
        "losses: first difference at step 31 (rank 1): 0.5",
        "        uninterrupted, 0.51 in start 2 of the interrupted run",
        "weights: first difference in model.w of the last checkpoint",
        "only 1 of 3 interruptions: give the script more steps",
        "not verified after 1 interruptions (seed 7)",
    ]


def test_what_parts_before_an_interruption_and_what_never_goes_on_is_said() -> None:
    verdict = Verdict(7, 2, 100, {}, 1, weights={"tensors": 4, "bytes": 1000, "difference": ""})
    verdict.made.append({"step": 30, "manner": "SIGTERM", "done": "SIGTERM"})
    shown = console()
    train.show(verdict, shown, "text")
    assert not verdict.holds, "equal as the two are"
    assert "no start went on from a checkpoint: each began anew or had nothing left to do" in out(shown)
    assert "does not do the same twice" not in out(shown)
    verdict.losses = Difference(29, 1, "0.5", "0.51", 1)
    train.show(verdict, shown, "text")
    assert "before any interruption: the script does not do the same twice" in out(shown)
    assert not Verdict(7, 2, 100, {}, 1, losses=verdict.losses).is_repeatable
