"""What a script has to show before it can be judged: losses that tell steps apart, and checkpoints of each run.

Where it does not, equal or different losses would say nothing; every error here names what its user can change.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sidings.verify_resume import comparison, losses, places
from sidings.verify_resume.errors import NoCheckpoint, NoLosses
from sidings.verify_resume.losses import Loss
from sidings.verify_resume.places import Place

_PER_RUN = f"give it a folder of the run: -- --checkpoint-dir {places.MARK}/checkpoints"


def of_losses(script: Path, told: Sequence[Loss]) -> None:
    """Of the run in peace. Raises ``NoLosses``."""
    if not told:
        raise NoLosses(
            f"{script} tells no losses",
            cause=f"it wrote no `STEP RANK LOSS` to the file ${losses.VARIABLE}, and printed no `step N loss X`;"
            " or it had nothing left to do, as it found checkpoints of an earlier run",
            remedy="pass the loss to TrainState.advance(rows, loss), or write a line per step and rank",
        )
    if comparison.is_counted_anew(told):
        raise NoLosses(
            f"{script} counts its steps anew within the run",
            cause=f"step {told[0].step} is told again after later ones, so a step is not known by its number",
            remedy="number the steps through all epochs; lines of an evaluation must not say `step N loss X`",
        )
    if (lost := comparison.lost_from(told)) is not None:
        raise NoLosses(
            f"the losses of {script} are NaN or infinite from step {lost} on, without an interruption",
            cause="what is forgotten makes no difference any more: NaN equals NaN",
            remedy="lower its learning rate, clip its gradients, or end it before that step",
        )


def of_checkpoints(script: Path, place: Place) -> None:
    """Of a run that has ended in ``place``. Raises ``NoCheckpoint``."""
    if not place.has_checkpoint:
        raise NoCheckpoint(
            f"{script} left no checkpoint in {place.bucket.url if place.bucket else place.folder}",
            cause="checkpoints are compared as files, and those of both runs have to lie apart",
            remedy=_PER_RUN,
        )


def of_beginning(script: Path, told: Sequence[Loss], first: int) -> None:
    """Of the first start of the interrupted run, whose losses are ``told``: it must not find what the run in peace has
    left, so it begins at that one's ``first`` step. Raises ``NoCheckpoint``."""
    if not told or min(loss.step for loss in told) > first:
        raise NoCheckpoint(
            f"the interrupted run of {script} went on where the run in peace had ended",
            cause="the script keeps its checkpoints where both runs find them",
            remedy=_PER_RUN,
        )
