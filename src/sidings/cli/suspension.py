"""Suspend and resume: one field, the same for all kinds of jobs, told in the same words."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from sidings.cli import cluster
from sidings.cli.errors import ExitCode, NotSuspendable
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.answers.family import Family


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("job", nargs="+", metavar="[KIND/]NAME", help="which jobs")
    cluster.add_arguments(parser)


async def set_suspend(args: Namespace, invocation: Invocation, suspend: bool) -> int:
    """Write the field that suspends of every job named; all are found before the first is changed."""
    from sidings.answers import suspension
    from sidings.api.objects import key_of
    from sidings.cli import jobs
    from sidings.client.apply import FIELD_MANAGER

    async with cluster.connect(args, invocation) as connected:
        families = [
            await jobs.find(connected.client, resource, name, connected.namespace)
            for resource, name in jobs.split_reference(args.job)
        ]
        for family in families:
            refuse(family, "suspended" if suspend else "resumed")
        for family in families:
            name = key_of(family.root).name
            if suspension.is_suspended(family.root) == suspend:
                invocation.console.say(f"{jobs.title_of(family)} is {'already' if suspend else 'not'} suspended")
                continue
            await connected.client.patch(
                jobs.resource_of(family),
                name,
                suspension.change(family.root, suspend),
                namespace=key_of(family.root).namespace,
                field_manager=FIELD_MANAGER,
            )
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


def say_changed(invocation: Invocation, family: Family, suspend: bool, flags: str) -> None:
    from sidings.cli import jobs

    name = family.root["metadata"]["name"]
    console = invocation.console
    if suspend:
        console.say(
            f"{console.glyph('done')} {jobs.title_of(family)} suspended; its pods get SIGTERM to write a checkpoint"
        )
        console.next_commands(
            (f"sidings get {name}{flags}", "when its pods have stopped"), (f"sidings resume {name}{flags}", "go on")
        )
    else:
        console.say(f"{console.glyph('done')} {jobs.title_of(family)} resumed")
        console.next_commands(
            (f"sidings logs -f {name}{flags}", "follow all ranks"), (f"sidings get {name}{flags}", "its state")
        )
