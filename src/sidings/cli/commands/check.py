"""``sidings check``: what would become of manifests, before they are submitted and without changing anything."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, NamedTuple

from sidings.cli import cluster
from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.answers.check import Prospect
    from sidings.answers.standing import Standing
    from sidings.answers.surroundings import Surroundings
    from sidings.api.objects import Object
    from sidings.cli.cluster import Cluster
    from sidings.cli.manifest import Document
    from sidings.controllers.kueue.jobs.integration import Integration

SUMMARY = "say what would become of manifests, without submitting them"
DESCRIPTION = """
Check manifests against the server and its queues, and change nothing: is each object valid, what do its pods ask for
together, would it be admitted now, later or never, and what does it lack. Jobs that come first in the files are taken
to be ahead in their queue. What the server warns of is told on stderr. Exit code 0: it would run, now or later; 4: an
object is not valid; 6: it would never run.
"""

WORDS = {"": "valid", "at once": "starts at once", "never": "never admitted"}
"""What is said of a prospect where "admitted" and its time is not it."""


class Submitted(NamedTuple):
    """A job of the manifests as a dry run gives it; ``place`` is that of its prospect, ``runtime`` comes along."""

    place: int
    kind: Integration
    job: Object
    runtime: Object | None


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-f", "--filename", action="append", required=True, metavar="FILE", help="a manifest, a folder or -"
    )
    parser.add_argument("-o", "--output", choices=("json", "yaml"), default="", help="for programs")
    cluster.add_arguments(parser)


def run(args: Namespace, invocation: Invocation) -> int:
    from sidings.cli import manifest

    return asyncio.run(_run(args, invocation, manifest.read(args.filename, invocation.stdin)))


async def _run(args: Namespace, invocation: Invocation, documents: list[Document]) -> int:
    async with cluster.connect(args, invocation) as connected:
        prospects = await prospects_of(connected, invocation, documents)
    _print(args, invocation, prospects)
    if any(prospect.is_refused for prospect in prospects):
        return ExitCode.INVALID
    return ExitCode.NOT_ADMITTED if any(prospect.is_hopeless for prospect in prospects) else ExitCode.OK


async def prospects_of(connected: Cluster, invocation: Invocation, documents: list[Document]) -> list[Prospect]:
    """One prospect for each document, in their order."""
    from sidings.answers import check
    from sidings.answers.finding import place_of
    from sidings.api.status import ApiError
    from sidings.cli import coming, refusal, would_be
    from sidings.client import discovery

    prospects: list[Prospect] = []
    jobs: list[Submitted] = []
    brought: list[Object] = []
    given = [document.obj for document in documents]
    namespaces = await would_be.missing_namespaces(connected.client, given)
    for document in documents:
        obj = document.obj
        runtime = coming.runtime_of(obj, given)
        try:
            resource = await discovery.resource_for(connected.client, obj["apiVersion"], obj["kind"])
            made = await would_be.stored(connected.client, resource, document, connected.namespace, namespaces, runtime)
        except ApiError as error:
            found = refusal.of_document(document, error)
            named = {**obj, "metadata": {"name": "", **obj["metadata"]}}
            prospects.append(check.refused(named, found.where, found.cause, found.remedy))
            continue
        if (kind := would_be.integration_of(resource)) is not None:
            jobs.append(Submitted(len(prospects), kind, made, runtime))
        brought.append(made)
        prospects.append(check.Prospect(place_of(made)))
    for place, prospect in await _of_jobs(connected, invocation, jobs, brought):
        prospects[place] = prospect
    return prospects


async def _of_jobs(
    connected: Cluster, invocation: Invocation, jobs: list[Submitted], brought: list[Object]
) -> list[tuple[int, Prospect]]:
    """Prospects of jobs by their places; ``brought`` objects count as there."""
    from sidings.answers import standing
    from sidings.api.objects import controller_of, namespace_of, uid_of
    from sidings.cli import coming
    from sidings.host import surroundings

    found: list[tuple[int, Prospect]] = []
    uids = {uid_of(one.job) for one in jobs}
    for namespace in dict.fromkeys(namespace_of(one.job) for one in jobs):
        around = await surroundings.read(connected.client, invocation.clock, namespace, connected.options)
        around = coming.added(around, brought, namespace)
        own = [w for w in around.of_kind("Workload") if (controller_of(w) or {}).get("uid") in uids]
        around.objects = {**around.objects, "Workload": [w for w in around.of_kind("Workload") if w not in own]}
        stood = standing.of(around)
        for one in jobs:
            if namespace_of(one.job) == namespace:
                found.append((one.place, await _of_job(connected, one, around, stood)))
    return found


async def _of_job(connected: Cluster, one: Submitted, around: Surroundings, stood: Standing) -> Prospect:
    from sidings.answers import check, codes
    from sidings.answers.explanations import finding
    from sidings.answers.finding import place_of
    from sidings.cli import would_be

    job = one.job
    runtime = await would_be.runtime_of(connected.client, job, one.runtime)
    workload = would_be.workload_of(one.kind, job, runtime, around)
    if isinstance(workload, str):
        what = f"the queue would make no Workload of it: {workload}"
        remedy = around.kubectl("get", "clustertrainingruntimes,workloadpriorityclasses,priorityclasses")
        found = finding(codes.NO_WORKLOAD, place_of(job), what, remedy=remedy)
        return check.Prospect(place_of(job), "never", [], [found])
    return check.of(job, workload, around, stood)


def _print(args: Namespace, invocation: Invocation, prospects: list[Prospect]) -> None:
    from sidings.cli import findings, output

    console = invocation.console
    if args.output:
        value = [prospect.as_json() for prospect in prospects]
        console.print(output.as_json(value) if args.output == "json" else output.as_yaml(value))
        return
    for prospect in prospects:
        word = "refused" if prospect.is_refused else WORDS.get(prospect.when, f"admitted {prospect.when}")
        console.print(f"{prospect.title}: {word}")
        for line in prospect.asks:
            console.print(f"  {line}")
        findings.show(console, prospect.findings, "  ")
