"""``sidings get``: jobs with their state in one word, and why where that is worth reading."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from sidings.cli import cluster, garbage
from sidings.cli.errors import ExitCode, UsageError
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.answers.family import Family
    from sidings.api.objects import Object
    from sidings.cli.cluster import Cluster
    from sidings.cli.jobs import Listed

SUMMARY = "show jobs (or the pods of jobs) with their state"
DESCRIPTION = """
Show jobs with their state: Queued, Starting, Running, Suspended, Restarting(n/m), Succeeded or Failed.
Without arguments all jobs of the namespace; `get trainjobs`, `get jobsets`, `get jobs` one kind;
`get NAME...` or `get KIND/NAME...` single ones; `get pods [JOB]` the pods of jobs, one line a rank.
The reason begins with the code of what is wrong, where something is: `sidings why NAME` says more.
-o json and -o yaml print these answers, not objects: for objects use kubectl.
"""
PODS = ("pods", "pod", "po")
HEADERS = ("NAMESPACE", "KIND", "NAME", "STATE", "PODS", "RESTARTS", "AGE", "REASON")
POD_HEADERS = ("NAMESPACE", "JOB", "RANK", "NAME", "STATE", "NODE", "RESTARTS", "AGE", "REASON")


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("what", nargs="*", metavar="KIND|NAME", help="what to show (default: all jobs)")
    parser.add_argument("-A", "--all-namespaces", action="store_true", help="jobs of all namespaces")
    parser.add_argument("-l", "--selector", default="", metavar="LABELS", help="only jobs with these labels")
    parser.add_argument("-o", "--output", choices=("json", "yaml", "name"), default="", help="for programs")
    parser.add_argument("-w", "--watch", action="store_true", help="print a job's line again when it changes")
    cluster.add_arguments(parser)


def run(args: Namespace, invocation: Invocation) -> int:
    if args.watch and args.output:
        raise UsageError("--watch prints a table", cause=f"it cannot be combined with -o {args.output}")
    with nullcontext() if args.watch else garbage.uncollected():
        return asyncio.run(_run(args, invocation))


async def _run(args: Namespace, invocation: Invocation) -> int:
    async with cluster.connect(args, invocation) as connected:
        namespace = "" if args.all_namespaces else connected.namespace
        if args.watch:
            return await _watch(args, invocation, connected, namespace)
        if args.what and args.what[0].lower() in PODS:
            return await _show_pods(args, invocation, connected, namespace)
        return await _show_jobs(args, invocation, connected, namespace)


async def _show_jobs(args: Namespace, invocation: Invocation, connected: Cluster, namespace: str) -> int:
    chosen = await select(connected, args.what, namespace, args.selector)
    answers = [job_answer(family, invocation.clock.now()) for family in chosen.families]
    if args.output != "name":
        await _explain(connected, invocation, chosen, answers)
    if args.output == "name":
        for answer in answers:
            invocation.console.print(name_line(answer))
    elif args.output:
        print_answers(invocation, answers, args.output)
    elif not answers:
        say_nothing_found(invocation, namespace)
    else:
        print_table(invocation, HEADERS, answers, all_namespaces=args.all_namespaces)
    return ExitCode.OK


async def _explain(connected: Cluster, invocation: Invocation, chosen: Listed, answers: list[dict[str, Any]]) -> None:
    """Gives each answer its ``finding``, the code of what is wrong or empty, and the table the code with the reason."""
    from sidings.cli import reasons

    families, seen = chosen
    found = await reasons.of_families(connected.client, invocation.clock, families, connected.options, seen)
    for family, answer in zip(families, answers, strict=True):
        finding = found.get(family.root["metadata"]["uid"])
        answer["finding"] = finding.code if finding else ""
        if finding:
            answer["told"] = reasons.text(finding, answer["reason"])


async def select(connected: Cluster, what: list[str], namespace: str, selector: str) -> Listed:
    """The jobs that the words on the command line mean, and the Workloads that were read for them, if all were."""
    from sidings.cli import jobs

    if not what:
        return await jobs.listed(connected.client, namespace, label_selector=selector)
    if len(what) == 1 and what[0].lower() in jobs.WORDS:
        kind = jobs.WORDS[what[0].lower()]
        found = await jobs.listed(connected.client, namespace, outermost=kind, label_selector=selector)
        return found._replace(families=[family for family in found.families if family.kind == kind.kind])
    from sidings.cli import one_job

    find = one_job.find if namespace else jobs.find
    named = [await find(connected.client, kind, name, namespace) for kind, name in jobs.split_reference(what)]
    return jobs.Listed(named, None)


def job_answer(family: Family, now: datetime) -> dict[str, Any]:
    """What is known about one job, in the order of the columns; ``age`` is text, ``created`` exact."""
    from sidings.answers import state

    verdict = state.state_of(family)
    metadata = family.root["metadata"]
    wanted = family.wanted_pods()
    return {
        "namespace": metadata["namespace"],
        "kind": family.kind,
        "name": metadata["name"],
        "state": verdict.word,
        "pods": f"{state.pods_that_run(family)}/{'?' if wanted is None else wanted}",
        "restarts": verdict.restarts.done,
        **_ages(family.root, now),
        "reason": verdict.reason,
    }


def pod_answer(family: Family, pod: Object, now: datetime) -> dict[str, Any]:
    from sidings.answers import state
    from sidings.answers.family import short_name

    verdict = state.state_of_pod(pod, family.events)
    return {
        "namespace": pod["metadata"]["namespace"],
        "job": family.root["metadata"]["name"],
        "rank": short_name(pod),
        "name": pod["metadata"]["name"],
        "state": verdict.word,
        "node": pod["spec"].get("nodeName") or "",
        "restarts": verdict.restarts.done,
        **_ages(pod, now),
        "reason": verdict.reason,
    }


def _ages(obj: Object, now: datetime) -> dict[str, str]:
    from sidings.api import age

    created = obj["metadata"]["creationTimestamp"]
    return {"age": age.since(created, now), "created": created}


async def _show_pods(args: Namespace, invocation: Invocation, connected: Cluster, namespace: str) -> int:
    families = (await select(connected, args.what[1:], namespace, args.selector)).families
    now = invocation.clock.now()
    answers = [pod_answer(family, pod, now) for family in families for pod in family.pods]
    if args.output == "name":
        for answer in answers:
            invocation.console.print(f"pod/{answer['name']}")
    elif args.output:
        print_answers(invocation, answers, args.output)
    elif not answers:
        say_nothing_found(invocation, namespace)
    else:
        print_table(invocation, POD_HEADERS, answers, all_namespaces=args.all_namespaces)
    return ExitCode.OK


async def _watch(args: Namespace, invocation: Invocation, connected: Cluster, namespace: str) -> NoReturn:
    """Print a line whenever the answer about a job (its age apart) is another one; ends by Ctrl-C only."""
    from sidings.cli.mirror import open_mirror

    families = (await select(connected, args.what, namespace, args.selector)).families
    chosen = {family.root["metadata"]["uid"] for family in families}
    shown: dict[str, dict[str, Any]] = {}
    async with open_mirror(connected.client, invocation.clock, namespace) as mirror:
        while True:
            await mirror.changed()
            for family in mirror.families():
                uid = family.root["metadata"]["uid"]
                answer = job_answer(family, invocation.clock.now())
                facts = {key: value for key, value in answer.items() if key != "age"}
                if (args.what and uid not in chosen) or shown.get(uid) == facts:
                    continue
                print_table(
                    invocation, HEADERS, [answer], all_namespaces=args.all_namespaces, header=not shown, steady=True
                )
                shown[uid] = facts


def print_table(
    invocation: Invocation,
    headers: tuple[str, ...],
    answers: list[dict[str, Any]],
    *,
    all_namespaces: bool,
    header: bool = True,
    steady: bool = False,
) -> None:
    """``steady``: lines printed at different times keep their columns apart by fixed widths."""
    from sidings.cli import output

    console = invocation.console
    headers = headers if all_namespaces else headers[1:]
    rows = [
        [console.paint_state(answer["state"]) if h == "STATE" else _cell(answer, h) for h in headers]
        for answer in answers
    ]
    if steady:
        rows = [[cell.ljust(14) for cell in row] for row in rows]
    lines = output.table(headers, rows, optional=() if steady else ("REASON",), width=console.width)
    for line in lines if header else lines[1:]:
        console.print(line)


def _cell(answer: dict[str, Any], header: str) -> str:
    return str(answer.get("told", answer["reason"]) if header == "REASON" else answer[header.lower()])


def print_answers(invocation: Invocation, answers: list[dict[str, Any]], form: str) -> None:
    from sidings.cli import output

    value = [{key: value for key, value in answer.items() if key not in ("age", "told")} for answer in answers]
    invocation.console.print(output.as_json(value) if form == "json" else output.as_yaml(value))


def name_line(answer: dict[str, Any]) -> str:
    from sidings.answers.family import ROOTS

    resource = next(resource for resource in ROOTS if resource.kind == answer["kind"])
    return f"{resource.kind.lower()}.{resource.group}/{answer['name']}"


def say_nothing_found(invocation: Invocation, namespace: str) -> None:
    place = f'namespace "{namespace}"' if namespace else "any namespace"
    invocation.console.say(f"no jobs in {place}")
