"""``sidings resume``: let suspended jobs go on."""

from __future__ import annotations

import asyncio
from argparse import Namespace

from sidings.cli.invocation import Invocation
from sidings.cli.suspension import configure, set_suspend

SUMMARY = "let suspended jobs go on"
DESCRIPTION = """
Resume TrainJobs, JobSets or Jobs that were suspended. New pods are started; a training script that writes checkpoints
goes on from its last one. In a queue they wait for quota again. One that nobody suspended, but a queue holds, is
refused (exit code 6): `sidings why` says what would admit it.
"""

__all__ = ["DESCRIPTION", "SUMMARY", "configure", "run"]


def run(args: Namespace, invocation: Invocation) -> int:
    return asyncio.run(set_suspend(args, invocation, False))
