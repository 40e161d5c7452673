from pathlib import Path

import pytest

from sidings.host.doctor import gpus
from sidings.host.doctor.finding import Verdict
from sidings.node.gpus.in_memory import InMemoryGpus, h200
from sidings.node.gpus.source import Driver

TWO = InMemoryGpus([h200(0), h200(1)], Driver("580.95.05", "12.8"))


def test_gpus_are_counted_by_model(tmp_path: Path) -> None:
    found = gpus.examine(TWO, tmp_path / "none")
    assert found.verdict is Verdict.OK
    assert found.message.startswith("2 x ") and found.message.endswith("driver 580.95.05, CUDA up to 12.8")


def test_no_gpus_are_fine_but_a_driver_without_its_library_is_not(tmp_path: Path) -> None:
    assert gpus.examine(InMemoryGpus(), tmp_path / "none").verdict is Verdict.OK
    (tmp_path / "version").write_text("NVRM")
    assert gpus.examine(InMemoryGpus(), tmp_path / "version").verdict is Verdict.PROBLEM


@pytest.mark.parametrize(
    ("version", "source", "verdict"),
    [
        ("", TWO, Verdict.WARNING),
        ("2.11.0+cpu", InMemoryGpus(), Verdict.OK),
        ("2.11.0+cpu", TWO, Verdict.PROBLEM),
        ("2.11.0+cu128", TWO, Verdict.OK),
        ("2.11.0+cu130", TWO, Verdict.PROBLEM),
        ("2.11.0", TWO, Verdict.OK),
    ],
)
def test_torch_must_fit_the_driver(version: str, source: InMemoryGpus, verdict: Verdict) -> None:
    assert gpus.judge_torch(version, source).verdict is verdict
