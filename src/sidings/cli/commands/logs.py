"""``sidings logs``: what the ranks of a job printed, all of them or one."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from sidings.cli import cluster
from sidings.cli.errors import ExitCode, JobNotFound, NoSuchRank
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.answers.family import Family
    from sidings.api.objects import Object
    from sidings.cli.cluster import Cluster

SUMMARY = "print the logs of a job's ranks"
DESCRIPTION = """
Print what the pods of a job wrote: all ranks, each line after its part, replica and rank (node-0-1 | ...), or one rank
with --rank. -f follows, across restarts, until the job has finished; Ctrl-C detaches.
"""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("job", metavar="[KIND/]NAME", help="which job")
    parser.add_argument("-f", "--follow", action="store_true", help="go on until the job has finished")
    parser.add_argument("--rank", type=int, metavar="N", help="only this rank, without prefix")
    parser.add_argument("--part", default="", metavar="NAME", help="only this replicated job (data-prep, training ...)")
    parser.add_argument("-c", "--container", default="", metavar="NAME", help="only this container (default: all)")
    parser.add_argument("--tail", type=int, metavar="N", help="only the last N lines of each rank")
    parser.add_argument("-p", "--previous", action="store_true", help="the container before its last restart")
    cluster.add_arguments(parser)


def run(args: Namespace, invocation: Invocation) -> int:
    try:
        return asyncio.run(_run(args, invocation))
    except KeyboardInterrupt:
        if args.follow:
            invocation.console.say("\ndetached; the job goes on")
        return ExitCode.INTERRUPTED


async def _run(args: Namespace, invocation: Invocation) -> int:
    from sidings.cli import jobs

    async with cluster.connect(args, invocation) as connected:
        [(resource, name)] = jobs.split_reference([args.job])
        family = await jobs.find(connected.client, resource, name, connected.namespace)
        if args.follow and not args.previous:
            await _follow(args, invocation, connected, family)
        else:
            await _print(args, invocation, connected, family)
    return ExitCode.OK


def selected(args: Namespace, family: Family) -> list[Object]:
    """The pods that the arguments mean; a rank is one of the job's main part unless --part names another."""
    from sidings.answers.family import completion_index, main_part
    from sidings.api.jobset import labels
    from sidings.api.objects import labels_of

    part = args.part or (main_part(family) if args.rank is not None else None)
    return [
        pod
        for pod in family.pods
        if (not part or labels_of(pod).get(labels.REPLICATED_JOB_NAME) == part)
        and (args.rank is None or completion_index(pod) == args.rank)
    ]


async def _print(args: Namespace, invocation: Invocation, connected: Cluster, family: Family) -> None:
    from sidings.api.pods import LogOptions
    from sidings.cli.log_stream import copy_lines, prefix_of, started_containers

    console = invocation.console
    pods = [pod for pod in selected(args, family) if started_containers(pod, args.container)]
    if not pods:
        raise _nothing_to_read(args, connected, family)
    for pod in pods:
        prefix = prefix_of(console, pod) if args.rank is None and len(family.pods) > 1 else ""
        for source in started_containers(pod, args.container):
            options = LogOptions(source.container, previous=args.previous, tail_lines=args.tail)
            await copy_lines(connected.client, pod, options, prefix, console)


def _nothing_to_read(args: Namespace, connected: Cluster, family: Family) -> NoSuchRank:
    from sidings.answers.state import state_of
    from sidings.cli import jobs

    verdict = state_of(family)
    what = "has written no log yet" if args.rank is None else f"has no log of rank {args.rank}"
    state = f"it is {verdict.word}" + (f": {verdict.reason}" if verdict.reason else "")
    return NoSuchRank(
        f"{jobs.title_of(family)} {what}",
        cause=f"{state}; it has {len(family.pods)} pods",
        remedy=f"sidings logs -f {args.job}{connected.flags()}   (waits for it)",
    )


async def _follow(args: Namespace, invocation: Invocation, connected: Cluster, family: Family) -> None:
    from sidings.answers.state import state_of
    from sidings.api.objects import namespace_of, uid_of
    from sidings.cli import jobs
    from sidings.cli.follow import LOG_DRAIN_SECONDS
    from sidings.cli.log_stream import LogStreams
    from sidings.cli.mirror import open_mirror
    from sidings.cli.progress import Progress

    console, uid = invocation.console, uid_of(family.root)
    async with (
        open_mirror(connected.client, invocation.clock, namespace_of(family.root)) as mirror,
        asyncio.TaskGroup() as tasks,
    ):
        streams = LogStreams(
            connected.client, console, invocation.clock, tasks, container=args.container, tail_lines=args.tail
        )
        with Progress(console) as progress:
            while not (mirror.complete and state_of(family).state.finished):
                await mirror.changed()
                if not mirror.complete:
                    continue
                present = mirror.family(uid)
                if present is None:
                    raise JobNotFound(f"{jobs.title_of(family)} was deleted while its logs were followed")
                family = present
                pods = selected(args, family)
                if not pods:
                    verdict = state_of(family)
                    progress.show(f"{jobs.title_of(family)} {verdict.word}  {verdict.reason}")
                streams.see(pods, prefix=args.rank is None)
        await streams.drain(LOG_DRAIN_SECONDS)
