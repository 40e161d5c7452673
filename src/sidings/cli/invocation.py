"""What every command gets: its console, and whatever of the process it may look at."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from sidings.cli.console import Console
from sidings.clock import Clock


@dataclass
class Invocation:
    """One run of the command line. ``cwd`` is the folder it was started in."""

    console: Console
    environ: Mapping[str, str]
    stdin: TextIO
    cwd: Path
    clock: Clock
    rng: random.Random = field(default_factory=random.Random)
