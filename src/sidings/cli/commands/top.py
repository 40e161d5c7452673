"""``sidings top``: how far jobs are, what their ranks and GPUs do, and which rank holds the others up."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from sidings.cli import cluster
from sidings.cli.errors import ExitCode, JobNotFound
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sidings.answers.progress import Progress
    from sidings.cli.cluster import Cluster

SUMMARY = "show how far jobs are, what ranks and GPUs do, and who holds the others up"
DESCRIPTION = """
Show how far running jobs say they are, and their ranks with the use of GPUs, memory, power, CPU and network. On a
terminal it follows until Ctrl-C, elsewhere it is printed once. With names those jobs, also when they have ended: then
with the mean over their life in AVG and the peak in PEAK. NOTE marks the rank that its peers wait for, and says why.
"""
HEADERS = (
    "NAMESPACE", "JOB", "RANK",
    "GPU", "UTIL", "AVG", "PEAK", "GPU-MEM", "POWER",
    "CPU", "MEMORY", "RECV", "SENT", "NOTE",
)  # fmt: skip
HEADERS_OF_PROGRESS = (
    "NAMESPACE", "JOB",
    "STEP", "DONE", "LOSS", "RATE", "ETA", "CHECKPOINT", "DATA", "COMPUTE", "COMM", "MFU", "TOLD",
)  # fmt: skip
OPTIONAL = ("GPU", "UTIL", "AVG", "PEAK", "GPU-MEM", "POWER", "NOTE")
UNKNOWN = "-"
REFRESH_SECONDS = 2.0
_CLEAR = "\x1b[H\x1b[J"


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="JOB", help="jobs to show (default: all that run)")
    parser.add_argument("-A", "--all-namespaces", action="store_true", help="jobs of all namespaces")
    parser.add_argument("-o", "--output", choices=("json",), default="", help="for programs: all that is known")
    cluster.add_arguments(parser)


def run(args: Namespace, invocation: Invocation) -> int:
    try:
        return asyncio.run(_run(args, invocation))
    except KeyboardInterrupt:  # the way to end a table that follows
        return ExitCode.OK


async def _run(args: Namespace, invocation: Invocation) -> int:
    async with cluster.connect(args, invocation) as connected:
        if invocation.console.width and not args.output:
            await _follow(args, invocation, connected)
        shown = await _shown_now(args, invocation, connected)
    if args.output:
        from sidings.cli import output

        invocation.console.print(output.as_json(shown.to_json()))
    elif lines := shown.lines(all_namespaces=args.all_namespaces):
        for line in lines:
            invocation.console.print(line)
    else:
        invocation.console.say("no job runs")
    return ExitCode.OK


async def _follow(args: Namespace, invocation: Invocation, connected: Cluster) -> NoReturn:
    """Paint it all again and again; ends by Ctrl-C only."""
    console = invocation.console
    while True:
        shown = await _shown_now(args, invocation, connected)
        lines = shown.lines(all_namespaces=args.all_namespaces, width=console.width)
        console.print(_CLEAR + "\n".join(lines or ["no job runs"]))
        await invocation.clock.sleep(REFRESH_SECONDS)


class Shown(NamedTuple):
    """Jobs as measured, each with what it said of its progress, at ``now``."""

    jobs: list[dict[str, Any]]
    told: list[Progress | None]
    now: datetime

    def lines(self, *, all_namespaces: bool, width: int = 0) -> list[str]:
        """The table of those that say how far they are, and below it the table of ranks; nothing without ranks."""
        ranks = table(self.jobs, all_namespaces=all_namespaces, width=width)
        first = 0 if all_namespaces else 1
        rows = [
            (job["namespace"], job["name"], *_progress_cells(told, self.now))[first:]
            for job, told in zip(self.jobs, self.told, strict=True)
            if told is not None and job["ranks"]
        ]
        if not rows:
            return ranks
        from sidings.cli import output

        optional = HEADERS_OF_PROGRESS[2:]
        return [*output.table(HEADERS_OF_PROGRESS[first:], rows, optional=optional, width=width), "", *ranks]

    def to_json(self) -> list[dict[str, Any]]:
        from sidings.answers import progress

        return [
            job if told is None else {**job, "progress": progress.to_json(told, self.now)}
            for job, told in zip(self.jobs, self.told, strict=True)
        ]


async def _shown_now(args: Namespace, invocation: Invocation, connected: Cluster) -> Shown:
    """The jobs asked for and their progress. Raises ``JobNotFound``."""
    from sidings.cli import reported

    jobs = await _jobs(args, connected)
    namespace = "" if args.all_namespaces else connected.namespace
    return Shown(jobs, await reported.read(connected.client, jobs, namespace), invocation.clock.now())


async def _jobs(args: Namespace, connected: Cluster) -> list[dict[str, Any]]:
    """The jobs asked for, each rank with its ``straggles`` (why, ``""``). Raises ``JobNotFound``."""
    from sidings.answers.straggler import stragglers
    from sidings.api.telemetry import JOBS_PATH

    namespace = "" if args.all_namespaces else connected.namespace
    answer = await connected.client.request_json("GET", JOBS_PATH, {"namespace": namespace})
    jobs: list[dict[str, Any]] = answer["jobs"]
    for name in args.names:
        if not any(job["name"] == name for job in jobs):
            raise JobNotFound(
                f'nothing was measured of a job "{name}"',
                cause="there is no such job, or none of its pods has run since the engine was started",
                remedy=f"sidings get{connected.flags(namespace)}",
            )
    if args.names:
        jobs = [job for job in jobs if job["name"] in args.names]
    else:
        jobs = [job for job in jobs if any(rank["running"] for rank in job["ranks"])]
    for job in jobs:
        slow = stragglers(job["ranks"])
        for rank in job["ranks"]:
            rank["straggles"] = slow.get(rank["pod"], "")
    return jobs


def _progress_cells(told: Progress, now: datetime) -> tuple[str, ...]:
    """From STEP to TOLD; empty where a run does not say it."""
    from sidings.answers import progress
    from sidings.api.age import human

    then = progress.aged(told, now)
    percent = [f"{share:.0%}" if share is not None else "" for share in (then.data, then.compute, then.communication)]
    step = "" if then.step is None else f"{then.step}" if then.total is None else f"{then.step}/{then.total}"
    return (
        step,
        "" if then.percent is None else f"{then.percent:.0f}%",
        "" if then.loss is None else f"{then.loss:.5g}",
        "" if then.rate is None else f"{then.rate:,.0f} {then.unit}/s",
        "" if then.remaining is None else human(then.remaining),
        "" if then.checkpoint_age is None else f"{human(then.checkpoint_age)} ago",
        *percent,
        "" if then.mfu is None else f"{then.mfu:.1%}",
        "" if then.told is None else f"{human((now - then.told).total_seconds())} ago",
    )


def table(jobs: list[dict[str, Any]], *, all_namespaces: bool, width: int = 0) -> list[str]:
    """A line for every GPU of every rank, or for the rank where it has none; no lines without ranks."""
    from sidings.cli import output

    first = 0 if all_namespaces else 1
    rows = [row[first:] for job in jobs for rank in job["ranks"] for row in _rows(job, rank)]
    return output.table(HEADERS[first:], rows, optional=OPTIONAL, width=width) if rows else []


def _rows(job: Mapping[str, Any], rank: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """What belongs to the rank is said in the first of its lines."""
    name = "-".join(part for part in (rank["part"], rank["rank"]) if part) or rank["pod"]
    own = rank["figures"]
    rest = (
        _shown(own, "cpu", "{:.2f}"),
        _bytes(own, "memory_bytes"),
        _bytes(own, "received_bytes_per_second", "/s"),
        _bytes(own, "sent_bytes_per_second", "/s"),
        f"straggler: {rank['straggles']}" if rank["straggles"] else "" if rank["running"] else "ended",
    )
    gpus = [_gpu_cells(gpu) for gpu in rank["gpus"]] or [("",) * 6]
    rows = [(job["namespace"], job["name"], name, *gpus[0], *rest)]
    return rows + [(job["namespace"], job["name"], name, *cells, *([""] * len(rest))) for cells in gpus[1:]]


def _gpu_cells(gpu: Mapping[str, Any]) -> tuple[str, ...]:
    figures = gpu["figures"]
    busy = figures.get("utilization_percent", {})
    return (
        str(gpu["index"]),
        *(f"{busy[key]:.0f}%" if key in busy else UNKNOWN for key in ("now", "mean", "peak")),
        _bytes(figures, "memory_used_bytes"),
        _shown(figures, "power_watts", "{:.0f}W"),
    )


def _value(figures: Mapping[str, Mapping[str, float]], name: str) -> float | None:
    """What it is now, or was on average where the pod has ended."""
    known = figures.get(name, {})
    return known.get("now", known.get("mean"))


def _shown(figures: Mapping[str, Mapping[str, float]], name: str, form: str) -> str:
    value = _value(figures, name)
    return UNKNOWN if value is None else form.format(value)


def _bytes(figures: Mapping[str, Mapping[str, float]], name: str, unit: str = "") -> str:
    value = _value(figures, name)
    if value is None:
        return UNKNOWN
    for prefix, size in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if value >= size:
            return f"{value / size:.1f}{prefix}{unit}"
    return f"{value:.0f}{unit}"
