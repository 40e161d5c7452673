"""Where ``sidings train verify-resume`` runs its script: as processes here, or as pods of the running engine."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from sidings.verify_resume.attempt import Launcher
    from sidings.verify_resume.pods import JobSets


@contextmanager
def launched(args: Namespace, invocation: Invocation, script: Path, work: Path) -> Iterator[Launcher]:
    """Where the script runs; nothing of it runs after the block."""
    from sidings.verify_resume import bucket, outage, places
    from sidings.verify_resume.torchrun import Torchrun

    launcher: Launcher
    if args.engine:
        launcher = _on_engine(args, invocation, script)
    else:
        environ = invocation.environ
        is_in_bucket = places.of(work, args.arguments, invocation.cwd, environ).bucket is not None
        way = None
        if is_in_bucket and outage.is_possible(environ):
            way = outage.Outage(bucket.endpoint(environ))
        elif is_in_bucket:
            invocation.console.say("no S3 errors among the interruptions: another proxy is in the environment")
        launcher = Torchrun(script, args.ranks, environ, way)
    try:
        yield launcher
    finally:
        launcher.close()


def environment(args: Namespace, invocation: Invocation) -> Mapping[str, str]:
    """The environment, by which checkpoints in a bucket are found that pods know from their data connection."""
    if not args.engine or invocation.environ.get("AWS_ACCESS_KEY_ID"):
        return invocation.environ
    from sidings.host import home, object_storage

    return {**invocation.environ, **object_storage.from_here(home.locate(invocation.environ))}


def _on_engine(args: Namespace, invocation: Invocation, script: Path) -> JobSets:
    from sidings.api.resources import JOB_SETS
    from sidings.cli import cluster, one_job
    from sidings.cli.script import generated_name
    from sidings.client.http import HttpClient
    from sidings.verify_resume.attempt import Waiting
    from sidings.verify_resume.pods import JobSets

    config = cluster.config_of(Namespace(kubeconfig="", context=""), invocation)
    name = generated_name("verify", invocation.rng)
    invocation.console.say(f"JobSets {name}-... in namespace {config.namespace}")
    client = HttpClient(config, invocation.clock)

    async def explained(job_set: str) -> Waiting:
        family = await one_job.find(client, JOB_SETS, job_set, config.namespace)
        answer = await one_job.answer(client, invocation.clock, family, config.namespace, "")
        first = next(iter(answer.findings), None)
        return Waiting(first.what, first.cause, first.remedy) if first else Waiting(answer.reason or answer.state)

    return JobSets(client, config.namespace, name, script, args.ranks, invocation.environ, explained)
