"""``sidings queue``: the scheduler's decisions without a cluster, of recorded cases and of streams of jobs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING

from sidings.api import age
from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from sidings.queue.replay import Case
    from sidings.queue.stream import Play
    from sidings.queue.summary import QueueSummary

SUMMARY = "play and replay what the queue decides"
DESCRIPTION = """
What Kueue's scheduler decides, worked out on this machine from objects alone.
"""
REPLAY = """
Decide recorded cases again and compare: who is admitted on which flavors and nodes, who waits and why, who is
preempted, events. FILE is a JSON list (plain or gzipped) of cases with `objects`, `cycles` and `expect`.
One line per difference; the last line is `N of M cases agree`. Exit code 0 only if all do.
"""
SIMULATE = """
Play a stream of jobs over queues on virtual time: how long each queue's jobs wait, how much of the quota is used, who
has to make room. FILE holds queues (manifests, or what `kubectl get cq,lq,cohort,rf -o yaml` prints) and jobs, in
documents of `kind: JobStream`. Kueue's ConfigMap `kueue-manager-config` counts where it is given. Nothing is changed
anywhere.
"""
EPILOG = """
example of a stream:
  apiVersion: sidings.dev/v1alpha1
  kind: JobStream
  metadata: {name: week}
  jobs:
  - {name: tune, queue: team-a/lq, pods: 4, requests: {cpu: 2}, runtime: 30m, count: 20, every: 5m}
"""


def configure(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, help="replay, simulate")
    replay = verbs.add_parser("replay", help="decide recorded cases again and compare", description=REPLAY.strip())
    replay.add_argument("file", metavar="FILE", help="cases, .json or .json.gz")
    simulate = verbs.add_parser(
        "simulate",
        help="play a stream of jobs on virtual time",
        description=SIMULATE.strip(),
        epilog=EPILOG.strip(),
        formatter_class=RawDescriptionHelpFormatter,
    )
    simulate.add_argument("files", metavar="FILE", nargs="+", help="queues and jobs; - is stdin")
    simulate.add_argument("--fair-sharing", action="store_true", help="as with fairSharing in Kueue's configuration")
    simulate.add_argument("--picture", metavar="SVG", help="draw who ran when into this file")
    simulate.add_argument("-o", "--output", choices=("table", "json", "yaml"), default="table")


def run(args: Namespace, invocation: Invocation) -> int:
    return _simulate(args, invocation) if args.verb == "simulate" else _replay(args, invocation)


def _replay(args: Namespace, invocation: Invocation) -> int:
    from sidings.queue import replay

    cases = _read(invocation.cwd / args.file)
    agreeing = 0
    for case in cases:
        found = list(replay.differences(case))
        agreeing += not found
        for difference in found:
            invocation.console.print(f"{case['name']}: {difference}")
    invocation.console.print(f"{agreeing} of {len(cases)} cases agree")
    return ExitCode.OK if agreeing == len(cases) else ExitCode.FAILED


def _simulate(args: Namespace, invocation: Invocation) -> int:
    from sidings.cli import output
    from sidings.queue import picture, snapshot, summary
    from sidings.queue.admission_fair_sharing import Rules
    from sidings.queue.preemption import Config
    from sidings.queue.simulation import BEGIN, Simulation
    from sidings.queue.usage_history import UsageHistory

    play = _play(args.files, invocation)
    shares, past_use = play.configuration.fair_sharing, play.configuration.admission_fair_sharing
    local_queues = [obj for obj in play.objects if obj["kind"] == "LocalQueue"]
    simulation = Simulation(
        play.objects,
        play.arrivals,
        Config(args.fair_sharing or shares.enabled, shares.strategies),
        flush_after=1.0,
        writes_per_second=None,
        measure=lambda: 0.0,
        history=UsageHistory(local_queues, Rules.of(past_use), BEGIN) if past_use.enabled else None,
    )
    report = simulation.run()
    told = summary.by_queue(report, play.arrivals, snapshot.build(play.objects))
    left = summary.never(report, play.arrivals)
    console = invocation.console
    if args.output == "table":
        for line in output.table(_HEADERS, [_row(entry) for entry in told]):
            console.print(line)
    else:
        value = {"makespan": report.makespan, "queues": [entry.to_json() for entry in told]}
        console.print(output.as_json(value) if args.output == "json" else output.as_yaml(value))
    if args.picture:
        path = invocation.cwd / args.picture
        path.write_text(picture.svg(summary.intervals(report, play.arrivals), report.makespan))
        console.say(f"picture: {path}")
    console.say(f"over after {age.human(report.makespan)}")
    for group in dict.fromkeys(arrival.group for arrival in left):
        console.say(f"{sum(a.group == group for a in left)} of {group} were never admitted")
    return ExitCode.OK if not left else ExitCode.NOT_ADMITTED


_HEADERS = ("CLUSTERQUEUE", "JOBS", "ADMITTED", "EVICTIONS", "MEAN WAIT", "LONGEST WAIT", "USE")


def _row(entry: QueueSummary) -> list[str]:
    use = ", ".join(f"{name} {100 * part:.0f}%" for name, part in sorted(entry.use.items()))
    waits = [age.human(entry.mean_wait), age.human(entry.longest_wait)]
    return [entry.queue, str(entry.jobs), str(entry.admitted), str(entry.evictions), *waits, use]


def _play(files: list[str], invocation: Invocation) -> Play:
    from sidings.cli import manifest
    from sidings.cli.errors import ManifestError
    from sidings.queue import stream

    sources = [file if file == "-" else str(invocation.cwd / file) for file in files]
    documents = manifest.read(sources, invocation.stdin)
    try:
        return stream.read(document.obj for document in documents)
    except stream.StreamError as error:
        raise ManifestError(
            f"{', '.join(files)} cannot be played", cause=str(error), remedy="sidings queue simulate --help"
        ) from error


def _read(path: Path) -> list[Case]:
    import gzip
    import zlib

    from sidings.cli.errors import ManifestError
    from sidings.queue import replay

    remedy = "give a JSON list of cases, each with name, objects, cycles and expect"
    try:
        return replay.load(path)
    except (OSError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ManifestError(f"cannot read {path}", cause=str(error), remedy=remedy) from error
    except ValueError as error:
        raise ManifestError(f"{path} holds no cases", cause=str(error), remedy=remedy) from error
