"""``sidings down``: stop the engine of this home, and leave nothing of it running."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.answers.family import Family
    from sidings.cli.progress import Progress
    from sidings.client.http import HttpClient
    from sidings.host.errors import JobsRunning
    from sidings.host.home import EngineRecord

SUMMARY = "stop the engine and everything it started"
DESCRIPTION = """
Stop the engine with its pods, mounts and interfaces; pods get their preStop hooks and their grace period, at most 30
seconds. Refuses while jobs run, unless
--suspend: their pods write a checkpoint, and the next `up` lets them go on from it; or
--force: their pods are stopped within two seconds, and the next `up` treats them as failed, so the jobs' own policies
decide.
Objects, logs and data on claims stay in $SIDINGS_HOME.
"""


def configure(parser: ArgumentParser) -> None:
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--suspend", action="store_true", help="suspend running jobs first; the next `up` resumes them")
    how.add_argument("--force", action="store_true", help="stop running jobs")


def run(args: Namespace, invocation: Invocation) -> int:
    from sidings.cli.progress import Progress
    from sidings.host import daemon, home, leftovers

    here = home.locate(invocation.environ)
    console = invocation.console
    record = here.running()
    with Progress(console) as progress:
        if record is not None:
            asyncio.run(_make_way(args, invocation, record, progress))
            daemon.stop(record, progress.show, force=args.force)
        elif leftovers.exist(here):
            progress.show("the engine was killed; stopping the pods that it left")
            leftovers.clean(here, force=args.force)
        else:
            console.say(f"no engine runs in {here.path}")
            return ExitCode.OK
    console.say(f"{console.paint(console.glyph('done'), 'green')} the engine has stopped; state stays in {here.path}")
    console.next_commands(("sidings up", "start it again, with the same nodes and jobs"))
    return ExitCode.OK


async def _make_way(args: Namespace, invocation: Invocation, record: EngineRecord, progress: Progress) -> None:
    """See to it that no job is interrupted against its owner's will. Raises ``JobsRunning``."""
    from pathlib import Path

    from sidings.client import kubeconfig
    from sidings.client.http import HttpClient

    if args.force:
        return
    async with HttpClient(kubeconfig.load([Path(record.kubeconfig)]), invocation.clock) as client:
        families = await unfinished(client)
        if not families:
            return
        if not args.suspend:
            raise refusal(families)
        await _suspend(client, invocation, families, progress)


async def unfinished(client: HttpClient) -> list[Family]:
    """Jobs that have pods which run or stop, or will have them as soon as there is room."""
    from sidings.answers.state import State, state_of
    from sidings.cli import jobs

    return [
        family
        for family in await jobs.all_families(client, "")
        if family.unfinished_pods() or state_of(family).state not in (State.SUSPENDED, State.SUCCEEDED, State.FAILED)
    ]


def refusal(families: list[Family]) -> JobsRunning:
    from sidings.answers.state import state_of
    from sidings.cli import jobs
    from sidings.host.errors import JobsRunning

    shown = [f"{jobs.title_of(family)} {state_of(family).word}" for family in families[:5]]
    more = f" and {len(families) - 5} more" if len(families) > 5 else ""
    return JobsRunning(
        f"{len(families)} job{'s are' if len(families) > 1 else ' is'} not finished",
        cause=", ".join(shown) + more,
        remedy="sidings down --suspend   (checkpoint now, go on at the next `up`; or --force)",
    )


async def _suspend(client: HttpClient, invocation: Invocation, families: list[Family], progress: Progress) -> None:
    """Suspend those that are not suspended yet, then wait until no pod of any runs."""
    from sidings.answers import suspension
    from sidings.api.objects import uid_of
    from sidings.cli import jobs
    from sidings.cli.mirror import open_mirror
    from sidings.host import hibernation

    for family in families:
        if not suspension.is_stopped(family.root, family.workload):
            await hibernation.put_to_sleep(client, jobs.resource_of(family), family.root, family.workload)
            progress.keep(f"{jobs.title_of(family)} suspended until the next `up`")
    chosen = {uid_of(family.root) for family in families}
    async with open_mirror(client, invocation.clock, "") as mirror:
        while True:
            await mirror.changed()
            present = [family for family in mirror.families() if uid_of(family.root) in chosen]
            stopping = sum(len(family.unfinished_pods()) for family in present)
            if mirror.complete and not stopping:
                return
            progress.show(f"{stopping} pods are stopping")
