"""What is said of a code, wherever it is found."""

from __future__ import annotations

from typing import NamedTuple

from sidings.answers.finding import Severity


class Explanation(NamedTuple):
    """``meaning`` says how it comes about, ``mending`` what to do."""

    severity: Severity
    title: str
    meaning: str
    mending: str
