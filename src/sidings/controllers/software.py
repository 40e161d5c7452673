"""Programs that a job takes for granted and this machine may lack.

On a cluster they come with the image. Where pods run the machine's own software a program that is missing shows late,
as a container that cannot start or a launcher that waits for ever; so it is told when the job is begun, in an event.
The job's objects are made all the same: they are right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

REASON = "SoftwareMissing"
Installed = Callable[[str, str], bool]
"""Whether a pod of an image (the second) finds a program (the first)."""


class Need(NamedTuple):
    """``remedy``: how to get the programs."""

    programs: tuple[str, ...]
    remedy: str


class Finding(NamedTuple):
    """What a user is told."""

    reason: str
    message: str


def everything(program: str, image: str) -> bool:
    """Where images are real: they bring what they need."""
    return True


def missing(who: str, need: Need, kind: str, installed: Callable[[str], bool]) -> Finding | None:
    """What ``who`` (a field or a command of a job of ``kind``) needs and pods do not find; None where all is there."""
    lacking = [program for program in need.programs if not installed(program)]
    if not lacking:
        return None
    return Finding(
        REASON,
        f"{who} needs {' and '.join(lacking)}, which pods do not find on this machine: they will fail. Install what is "
        f"missing ({need.remedy}), then delete the {kind} and create it again",
    )
