"""``sidings delete``: remove jobs with everything made for them."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from sidings.cli import cluster
from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.answers.family import Family
    from sidings.cli.cluster import Cluster

SUMMARY = "delete jobs and their pods"
DESCRIPTION = """
Delete TrainJobs, JobSets or Jobs with their pods: `sidings delete NAME...` or `sidings delete KIND/NAME...`.
Pods get SIGTERM and their grace period to write a checkpoint. Waits until they are gone; Ctrl-C stops the waiting only.
"""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("job", nargs="+", metavar="[KIND/]NAME", help="which jobs")
    parser.add_argument("--no-wait", action="store_true", help="return as soon as the deletion is accepted")
    cluster.add_arguments(parser)


def run(args: Namespace, invocation: Invocation) -> int:
    return asyncio.run(_run(args, invocation))


async def _run(args: Namespace, invocation: Invocation) -> int:
    from sidings.cli import jobs

    async with cluster.connect(args, invocation) as connected:
        families = [
            await jobs.find(connected.client, resource, name, connected.namespace)
            for resource, name in jobs.split_reference(args.job)
        ]
        for family in families:
            if args.no_wait:
                await _delete(connected, family)
                invocation.console.say(f"{jobs.title_of(family)} is being deleted")
            else:
                await delete_and_wait(connected, invocation, family)
    invocation.console.next_commands((f"sidings get{connected.flags()}", "what is left"))
    return ExitCode.OK


async def _delete(connected: Cluster, family: Family) -> None:
    """Foreground: the job goes last, so that whoever waits for it waits for its pods."""
    from sidings.api.objects import key_of, uid_of
    from sidings.cli import jobs

    key = key_of(family.root)
    await connected.client.delete(
        jobs.resource_of(family),
        key.name,
        key.namespace,
        propagation_policy="Foreground",
        uid=uid_of(family.root),
    )


async def delete_and_wait(connected: Cluster, invocation: Invocation, family: Family) -> None:
    """Delete ``family`` and say how many of its pods are still stopping until it is gone."""
    from sidings.api.objects import namespace_of, uid_of
    from sidings.cli import jobs
    from sidings.cli.mirror import open_mirror
    from sidings.cli.progress import Progress

    title = jobs.title_of(family)
    async with open_mirror(connected.client, invocation.clock, namespace_of(family.root)) as mirror:
        while not mirror.complete:
            await mirror.changed()
        await _delete(connected, family)
        with Progress(invocation.console) as progress:
            while (left := mirror.family(uid_of(family.root))) is not None:
                progress.show(f"{title}: {len(left.pods)} pods are stopping")
                await mirror.changed()
    invocation.console.say(f"{invocation.console.glyph('done')} {title} deleted")
