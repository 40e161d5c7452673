"""What one check found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """``PROBLEM``: Sidings does not work like this; ``WARNING``: it works, but not as well as it could."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """``remedy`` is a command to be typed, or begins with one; "" where there is nothing to mend."""

    check: str
    verdict: Verdict
    message: str
    remedy: str = ""


def ok(check: str, message: str, remedy: str = "") -> Finding:
    return Finding(check, Verdict.OK, message, remedy)


def warning(check: str, message: str, remedy: str = "") -> Finding:
    return Finding(check, Verdict.WARNING, message, remedy)


def problem(check: str, message: str, remedy: str = "") -> Finding:
    return Finding(check, Verdict.PROBLEM, message, remedy)
