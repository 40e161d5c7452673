"""Findings on a terminal: what, why, and the command, the gravest first."""

from __future__ import annotations

from collections.abc import Sequence

from sidings.answers.finding import Finding, Severity
from sidings.cli.console import Console

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}


def show(console: Console, findings: Sequence[Finding], indent: str = "") -> None:
    """Print ``findings`` to stdout, a paragraph each."""
    for found in findings:
        word = console.paint(f"{found.severity} {found.code}", _COLOURS[found.severity])
        console.print(f"{indent}{word}  {found.what}")
        console.print(f"{indent}  where: {found.where}")
        if found.cause:
            console.print(f"{indent}  cause: {found.cause}")
        if found.remedy:
            console.print(f"{indent}  remedy: {found.remedy}")
