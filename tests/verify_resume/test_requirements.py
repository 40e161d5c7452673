"""What cannot be judged, and what its user can change."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidings.verify_resume import places, requirements
from sidings.verify_resume.errors import NoCheckpoint, NoLosses
from sidings.verify_resume.losses import Loss

SCRIPT = Path("train.py")


def losses(*told: tuple[int, str]) -> list[Loss]:
    return [Loss(step, 0, text) for step, text in told]


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (losses(), "train.py tells no losses"),
        (losses((1, "3"), (2, "2"), (3, "1"), (1, "1")), "train.py counts its steps anew within the run"),
        (losses((1, "3"), (2, "nan"), (3, "inf")), "the losses of train.py are NaN or infinite from step 2 on"),
    ],
)
def test_losses_that_prove_nothing(told: list[Loss], what: str) -> None:
    with pytest.raises(NoLosses) as caught:
        requirements.of_losses(SCRIPT, told)
    assert caught.value.what.startswith(what)
    assert caught.value.remedy


def test_losses_that_do() -> None:
    requirements.of_losses(SCRIPT, losses((1, "3"), (2, "nan"), (3, "1")))


def test_each_run_has_checkpoints_of_its_own(tmp_path: Path) -> None:
    place = places.of(tmp_path, (), tmp_path, {})
    with pytest.raises(NoCheckpoint, match="left no checkpoint"):
        requirements.of_checkpoints(SCRIPT, place)
    (tmp_path / "one.pt").touch()
    requirements.of_checkpoints(SCRIPT, place)
    requirements.of_beginning(SCRIPT, losses((1, "3"), (2, "2")), first=1)
    for told in (losses(), losses((2, "2"))):
        with pytest.raises(NoCheckpoint, match="went on where the run in peace had ended"):
            requirements.of_beginning(SCRIPT, told, first=1)
