"""A console and an invocation that a test can read."""

from __future__ import annotations

import io
import random
from pathlib import Path

from sidings.cli.console import Console
from sidings.cli.invocation import Invocation
from sidings.clock import Clock, ManualClock


def console(**more: object) -> Console:
    return Console(io.StringIO(), io.StringIO(), **more)  # type: ignore[arg-type]


def invocation(
    cwd: Path, environ: dict[str, str] | None = None, *, stdin: str = "", clock: Clock | None = None
) -> Invocation:
    return Invocation(console(), environ or {}, io.StringIO(stdin), cwd, clock or ManualClock(), random.Random(1))


def out(of: Console) -> str:
    assert isinstance(of.out, io.StringIO)
    return of.out.getvalue()


def err(of: Console) -> str:
    assert isinstance(of.err, io.StringIO)
    return of.err.getvalue()
