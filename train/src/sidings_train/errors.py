"""The errors that this library raises on purpose.

::

    TrainError                 what happened, why, and the command or change that mends it
    ├── LaunchError            the environment does not say who this process is, or says it in contradictions
    ├── MissingRankError       a rank did not come, or stopped; the message names it
    ├── StorageError           a path, claim or bucket cannot be listed, read or written
    │   └── NotThereError      ... because there is nothing of that name
    ├── CheckpointError        a checkpoint cannot be written, or none can be gone on from
    └── LossError              the loss has become NaN or infinite

They travel between ranks (``World.together``), so they survive pickling, and an error of one rank ends in the same
error on all.
"""

from __future__ import annotations


class TrainError(Exception):
    """``what`` says what happened and where, ``cause`` why, ``remedy`` what mends it, where something does."""

    def __init__(self, what: str, *, cause: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.cause = cause
        self.remedy = remedy

    def __str__(self) -> str:
        cause = f"\n  cause: {self.cause}" if self.cause else ""
        remedy = f"\nhelp: {self.remedy}" if self.remedy else ""
        return f"{self.what}{cause}{remedy}"

    def of_rank(self, rank: int) -> TrainError:
        """The same for all ranks to raise: who failed is named."""
        return type(self)(f"rank {rank}: {self.what}", cause=self.cause, remedy=self.remedy)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.cause, self.remedy)


def _rebuild(kind: type[TrainError], what: str, cause: str, remedy: str) -> TrainError:
    return kind(what, cause=cause, remedy=remedy)


class LaunchError(TrainError):
    """The environment does not say who this process is."""


class MissingRankError(TrainError):
    """A rank did not come, or stopped answering."""


class StorageError(TrainError):
    """A place cannot be listed, read or written."""


class NotThereError(StorageError):
    """Nothing of that name is there."""


class CheckpointError(TrainError):
    """A checkpoint cannot be written, or none can be gone on from."""


class LossError(TrainError):
    """The loss has become NaN or infinite."""
