"""``sidings run``: apply a manifest (or make a TrainJob of a script), follow it, return its verdict."""

from __future__ import annotations

import argparse
import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from sidings.api.objects import key_of
from sidings.cli import cluster
from sidings.cli.errors import AlreadyFinished, ExitCode, JobNotFound, UsageError
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.api.objects import Object
    from sidings.cli.cluster import Cluster
    from sidings.cli.manifest import Document

SUMMARY = "start a job, follow it, and exit with its verdict"
DESCRIPTION = """
Apply manifests and follow the jobs in them: `sidings run -f job.yaml`.
Or train with a script on torch.distributed: `sidings run --nodes 2 train.py --epochs 3` makes a TrainJob of the
runtime torch-distributed that runs the script in this folder under torchrun.
stdout carries the log of rank 0, stderr everything else. Exit code 0: succeeded, 1: failed, 7: --timeout.
Ctrl-C detaches: the job goes on.
"""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-f", "--filename", action="append", default=[], metavar="FILE", help="a manifest, a folder or -"
    )
    parser.add_argument("--replace", action="store_true", help="delete a finished job of the same name first")
    parser.add_argument("--detach", action="store_true", help="do not follow, return as soon as the job is accepted")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="stop following after so long (exit code 7)")
    script = parser.add_argument_group("a script instead of a manifest")
    script.add_argument("--name", default="", help="name of the TrainJob (default: from the script's name)")
    script.add_argument("--nodes", type=int, metavar="N", help="number of nodes (default: 1)")
    script.add_argument("--gpus", type=int, metavar="G", help="GPUs per node (default: 0)")
    script.add_argument("--procs", type=int, metavar="P", help="processes per node (default: one a GPU, else 1)")
    script.add_argument("script", nargs=argparse.REMAINDER, metavar="SCRIPT [ARG...]", help="what each process runs")
    cluster.add_arguments(parser)


def run(args: Namespace, invocation: Invocation) -> int:
    documents = documents_of(args, invocation)
    started: list[Object] = []
    try:
        return asyncio.run(_run(args, invocation, documents, started))
    except KeyboardInterrupt:
        _say_detached(args, invocation, started)
        return ExitCode.INTERRUPTED


def documents_of(args: Namespace, invocation: Invocation) -> list[Document]:
    from sidings.cli import manifest, script

    if bool(args.filename) == bool(args.script):
        raise UsageError(
            "`run` needs a manifest or a script, one of the two",
            remedy="sidings run -f job.yaml   (or: sidings run --nodes 2 train.py)",
        )
    if args.filename:
        given = [option for option in ("name", "nodes", "gpus", "procs") if getattr(args, option)]
        if given:
            raise UsageError(f"--{given[0]} is for scripts", cause=f"{args.filename[0]} says itself what it wants")
        return manifest.read(args.filename, invocation.stdin)
    return [script.document(args, invocation)]


async def _run(args: Namespace, invocation: Invocation, documents: list[Document], started: list[Object]) -> int:
    from sidings.answers.family import ROOTS

    async with cluster.connect(args, invocation) as connected:
        kinds = {(root.api_version, root.kind) for root in ROOTS}
        await _refuse_finished(args, connected, invocation, [d for d in documents if _kind(d.obj) in kinds])
        for document in documents:
            obj = await _apply(connected, invocation, document)
            if _kind(obj) in kinds:
                started.append(obj)
        if args.detach or not started:
            _say_next(invocation, connected, started)
            return ExitCode.OK
        verdicts = [await _follow(args, invocation, connected, root) for root in started]
        return max(verdicts)


def _kind(obj: Object) -> tuple[str, str]:
    return obj["apiVersion"], obj["kind"]


async def _refuse_finished(
    args: Namespace, connected: Cluster, invocation: Invocation, documents: list[Document]
) -> None:
    """A job that has finished does not run again by being applied again: say so, or delete it for ``--replace``."""
    from sidings.answers.state import state_of
    from sidings.cli import jobs
    from sidings.cli.commands import delete

    for document in documents:
        metadata = document.obj["metadata"]
        if not metadata.get("name"):
            continue
        resource = jobs.WORDS[document.obj["kind"].lower()]
        try:
            namespace = metadata.get("namespace") or connected.namespace
            family = await jobs.find(connected.client, resource, metadata["name"], namespace)
        except JobNotFound:
            continue
        verdict = state_of(family)
        if not verdict.state.finished:
            continue
        if not args.replace:
            raise AlreadyFinished(
                f"{document.title} has already run and {verdict.word.lower()}",
                cause="a finished job stays as it is until it is deleted",
                remedy="repeat the command with --replace to delete it and run it anew",
                where=document.where(),
            )
        await delete.delete_and_wait(connected, invocation, family)


async def _apply(connected: Cluster, invocation: Invocation, document: Document) -> Object:
    from sidings.api.status import ApiError
    from sidings.cli import refusal
    from sidings.client import apply, discovery

    obj = document.obj
    try:
        resource = await discovery.resource_for(connected.client, obj["apiVersion"], obj["kind"])
        if obj["metadata"].get("name"):
            applied = await apply.apply(connected.client, resource, obj, namespace=connected.namespace, force=True)
            answer, outcome = applied.obj, str(applied.outcome)
        else:
            namespace = obj["metadata"].get("namespace") or connected.namespace
            answer = await connected.client.create(
                resource, obj, namespace=namespace, field_manager=apply.FIELD_MANAGER, field_validation="Strict"
            )
            outcome = "created"
    except ApiError as error:
        raise refusal.of_document(document, error) from error
    console = invocation.console
    console.say(f'{console.glyph("start")} {obj["kind"]} "{answer["metadata"]["name"]}" {outcome}')
    return answer


async def _follow(args: Namespace, invocation: Invocation, connected: Cluster, root: Object) -> ExitCode:
    from sidings.answers.state import State, state_of
    from sidings.api import age
    from sidings.cli import jobs
    from sidings.cli.follow import follow

    console = invocation.console
    begun = invocation.clock.now()
    family, first = await follow(connected, console, invocation.clock, root, timeout=args.timeout)
    verdict = state_of(family)
    took = age.human((invocation.clock.now() - begun).total_seconds())
    name, namespace = key_of(root).name, key_of(root).namespace
    flags = connected.flags(namespace)
    if verdict.state is State.SUCCEEDED:
        mark = console.paint(console.glyph("done"), "green")
        console.say(f"{mark} {jobs.title_of(family)} {console.paint_state(verdict.word)} after {took}")
        console.next_commands(
            (f"sidings logs {name}{flags}", "what all ranks printed"),
            (f"sidings delete {name}{flags}", "remove the job and its pods"),
        )
        return ExitCode.OK
    mark = console.paint(console.glyph("failed"), "red")
    console.say(f"{mark} {jobs.title_of(family)} {console.paint_state(verdict.word)} after {took}: {verdict.reason}")
    for line in first.lines(console):
        console.say(line)
    console.next_commands(
        (f"sidings logs {name}{flags}", "what all ranks printed"),
        (f"kubectl describe {family.kind.lower()} {name} -n {namespace}", "conditions and events"),
    )
    return ExitCode.FAILED


def _say_next(invocation: Invocation, connected: Cluster, started: list[Object]) -> None:
    for root in started:
        key = key_of(root)
        flags = connected.flags(key.namespace)
        invocation.console.next_commands(
            (f"sidings logs -f {key.name}{flags}", "follow all ranks"),
            (f"sidings get {key.name}{flags}", "its state"),
        )


def _say_detached(args: Namespace, invocation: Invocation, started: list[Object]) -> None:
    console = invocation.console
    if not started:
        console.say("\ninterrupted before a job was started")
        return
    for root in started:
        name, namespace = key_of(root).name, key_of(root).namespace
        flags = (f" -n {namespace}" if namespace != "default" else "") + cluster.options_of(args)
        console.say(f'\ndetached; {root["kind"]} "{name}" goes on')
        console.next_commands(
            (f"sidings logs -f {name}{flags}", "follow it again"), (f"sidings suspend {name}{flags}", "stop it")
        )
