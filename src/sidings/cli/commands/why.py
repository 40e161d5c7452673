"""``sidings why``: what keeps a job from running, with numbers and the command that mends it."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from sidings.cli import cluster, garbage
from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.answers.why import chain

SUMMARY = "say why a job waits or failed, and which command mends it"
DESCRIPTION = """
Say why jobs are as they are: the findings, root cause first, each with its code, its numbers and the command that
mends it; then every object from the job to its queue and nodes with its state. Reads only, on any cluster:
`sidings why NAME --context my-cluster`. `sidings explain CODE` tells more about a finding.
"""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("job", nargs="+", metavar="[KIND/]NAME", help="which jobs")
    parser.add_argument("-o", "--output", choices=("json", "yaml"), default="", help="for programs")
    cluster.add_arguments(parser)


def run(args: Namespace, invocation: Invocation) -> int:
    with garbage.uncollected():
        return asyncio.run(_run(args, invocation))


async def _run(args: Namespace, invocation: Invocation) -> int:
    from sidings.cli import jobs, one_job, output

    async with cluster.connect(args, invocation) as connected:
        client, namespace = connected.client, connected.namespace
        answers = []
        for resource, name in jobs.split_reference(args.job):
            family = await one_job.find(client, resource, name, namespace)
            answers.append(await one_job.answer(client, invocation.clock, family, namespace, connected.options))
    if args.output:
        value = [answer.as_json() for answer in answers]
        invocation.console.print(output.as_json(value) if args.output == "json" else output.as_yaml(value))
        return ExitCode.OK
    for number, answer in enumerate(answers):
        if number:
            invocation.console.print()
        show(invocation, answer)
    return ExitCode.OK


def show(invocation: Invocation, answer: chain.Answer) -> None:
    """One answer as text."""
    from sidings.cli import findings, output

    console = invocation.console
    console.print(f"{answer.job}: {console.paint_state(answer.state)}")
    if not answer.findings:
        console.print("nothing is wrong" + (f"; {answer.reason}" if answer.reason else ""))
    findings.show(console, answer.findings)
    console.print()
    for line in output.table(("CHAIN", "STATE"), [[link.where, link.state] for link in answer.links]):
        console.print(line)
