"""Suspend and resume: one field, the same for all kinds of jobs, told in the same words.

A job that a queue holds is stopped by its Workload, because the job's own field is the queue's: it would start a job
that it has admitted again at once, and stop one that it has not.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from sidings.cli import cluster
from sidings.cli.errors import ExitCode, HeldByQueue, NotSuspendable
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.answers.family import Family
    from sidings.api.objects import Object


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("job", nargs="+", metavar="[KIND/]NAME", help="which jobs")
    cluster.add_arguments(parser)


async def set_suspend(args: Namespace, invocation: Invocation, suspend: bool) -> int:
    """Write the field that suspends of every job named; all are found before the first is changed."""
    from sidings.answers import suspension
    from sidings.api.objects import key_of
    from sidings.api.resources import WORKLOADS
    from sidings.cli import jobs
    from sidings.client.apply import FIELD_MANAGER

    async with cluster.connect(args, invocation) as connected:
        families = [
            await jobs.find(connected.client, resource, name, connected.namespace)
            for resource, name in jobs.split_reference(args.job)
        ]
        for family in families:
            refuse(family, "suspended" if suspend else "resumed")
            if not suspend:
                refuse_waiting(family, connected.flags())
        for family in families:
            if suspension.is_stopped(family.root, family.workload) == suspend:
                invocation.console.say(f"{jobs.title_of(family)} is {'already' if suspend else 'not'} suspended")
                continue
            if family.workload is not None:
                resource, obj, body = WORKLOADS, family.workload, suspension.change_in_queue(suspend)
            else:
                resource, obj = jobs.resource_of(family), family.root
                body = suspension.change(family.root, suspend)
            key = key_of(obj)
            await connected.client.patch(resource, key.name, body, namespace=key.namespace, field_manager=FIELD_MANAGER)
            say_changed(invocation, family, suspend, connected.flags())
    return ExitCode.OK


def refuse(family: Family, what: str) -> None:
    from sidings.answers.state import state_of
    from sidings.api.objects import controller_of
    from sidings.cli import jobs

    verdict = state_of(family)
    if verdict.state.finished:
        raise NotSuspendable(f"{jobs.title_of(family)} cannot be {what}", cause=f"it has {verdict.word.lower()}")
    if owner := controller_of(family.root):
        raise NotSuspendable(
            f"{jobs.title_of(family)} cannot be {what} by itself",
            cause=f'{owner["kind"]} "{owner["name"]}" owns it and would undo the change',
            remedy=f"name the owner: {owner['kind'].lower()}/{owner['name']}",
        )


def refuse_waiting(family: Family, flags: str) -> None:
    """Nobody suspended it: the queue starts it, and nobody else can; or its queue would stop it again."""
    from sidings.answers import suspension
    from sidings.cli import jobs

    workload = family.workload
    if workload is None or not suspension.is_suspended(family.root):
        return
    if suspension.has_used_its_time(workload):
        raise HeldByQueue(
            f"{jobs.title_of(family)} has run for as long as it may, and would be stopped at once",
            cause=suspension.why_it_waits(workload),
            remedy=f"sidings why {family.root['metadata']['name']}{flags}   (the command that gives it more time)",
        )
    if not suspension.waits_in_queue(workload):
        return
    raise HeldByQueue(
        f"{jobs.title_of(family)} is not suspended by anybody: it waits in {_queue_of(workload)}, which starts it",
        cause=suspension.why_it_waits(workload) or "the queue has not looked at it yet",
        remedy=f"sidings why {family.root['metadata']['name']}{flags}   (what would admit it)",
    )


def _queue_of(workload: Object) -> str:
    return f"LocalQueue {workload['metadata']['namespace']}/{workload['spec'].get('queueName', '')}"


def say_changed(invocation: Invocation, family: Family, suspend: bool, flags: str) -> None:
    from sidings.cli import jobs

    name = family.root["metadata"]["name"]
    console = invocation.console
    if suspend:
        pods = "; its pods get SIGTERM to write a checkpoint" if family.living_pods() else ""
        queue = f"; {_queue_of(family.workload)} passes it by until it is resumed" if family.workload else ""
        console.say(f"{console.glyph('done')} {jobs.title_of(family)} suspended{pods}{queue}")
        console.next_commands(
            (f"sidings get {name}{flags}", "when its pods have stopped"), (f"sidings resume {name}{flags}", "go on")
        )
    else:
        waits = f"; {_queue_of(family.workload)} starts it when it has quota" if family.workload else ""
        console.say(f"{console.glyph('done')} {jobs.title_of(family)} resumed{waits}")
        console.next_commands(
            (f"sidings logs -f {name}{flags}", "follow all ranks"), (f"sidings get {name}{flags}", "its state")
        )
