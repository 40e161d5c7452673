"""``sidings suspend``: stop jobs so that they can go on later."""

from __future__ import annotations

import asyncio
from argparse import Namespace

from sidings.cli.invocation import Invocation
from sidings.cli.suspension import configure, set_suspend

SUMMARY = "stop jobs; they keep their place and go on with `resume`"
DESCRIPTION = """
Suspend TrainJobs, JobSets or Jobs: their pods get SIGTERM and their grace period to write a checkpoint, then they are
removed and what they used is free for others. `sidings resume` starts them again from their last checkpoint.
A job that a queue holds gives its quota back, or its place in the queue if it still waits.
"""

__all__ = ["DESCRIPTION", "SUMMARY", "configure", "run"]


def run(args: Namespace, invocation: Invocation) -> int:
    return asyncio.run(set_suspend(args, invocation, True))
