"""Follow one job to its end: what its pods do while they start, then what rank 0 prints, then the verdict.

stderr tells the story (states, pods, restarts, the first failure), stdout carries log lines only, so that
``sidings run -f job.yaml > train.log`` holds what the job printed.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from sidings.answers.failure import Failure, first_failure
from sidings.answers.family import Family, completion_index, short_name
from sidings.answers.state import State, Verdict, state_of, state_of_pod
from sidings.api.jobset import labels
from sidings.api.objects import Object, is_deleting, labels_of, namespace_of, uid_of
from sidings.cli.cluster import Cluster
from sidings.cli.console import Console
from sidings.cli.errors import JobNotFound, TimedOut
from sidings.cli.failure import FirstFailure
from sidings.cli.jobs import find, resource_of, title_of
from sidings.cli.log_stream import LogStreams
from sidings.cli.mirror import Mirror, open_mirror
from sidings.cli.progress import Progress
from sidings.clock import Clock

LOG_DRAIN_SECONDS = 5.0
MANY_PODS = 16
"""Up to so many pods each gets its lines; more are counted."""
COUNT_SECONDS = 2.0
"""Where each count is a line of its own, so much time lies between two."""


async def follow(
    cluster: Cluster, console: Console, clock: Clock, root: Object, *, timeout: float | None = None
) -> tuple[Family, FirstFailure]:
    """Show ``root`` until it has finished; returns its final family, and what failed first if anything did.

    Raises ``TimedOut`` after ``timeout`` seconds (the job goes on) and ``JobNotFound`` when it is deleted meanwhile.
    """
    try:
        async with asyncio.timeout(timeout):
            return await _follow(cluster, console, clock, root)
    except TimeoutError as error:
        name = root["metadata"]["name"]
        raise TimedOut(
            f'{root["kind"]} "{name}" did not end within {timeout:g} s',
            cause="the job goes on",
            remedy=f"sidings logs -f {name}{cluster.flags(namespace_of(root))}",
        ) from error


async def _follow(cluster: Cluster, console: Console, clock: Clock, root: Object) -> tuple[Family, FirstFailure]:
    namespace = namespace_of(root)
    first = FirstFailure(cluster.client)
    async with open_mirror(cluster.client, clock, namespace) as mirror, asyncio.TaskGroup() as tasks:
        streams = LogStreams(cluster.client, console, clock, tasks)
        with Progress(console) as progress:
            family = await _watch(mirror, Story(console, progress, clock), first, streams, root)
        # Read anew: the watch of pods may lag behind the one that saw the job end.
        family = await find(cluster.client, resource_of(family), root["metadata"]["name"], namespace)
        streams.see(leaders(family), prefix=has_parts(family))
        await streams.drain(LOG_DRAIN_SECONDS)
        await first.see(family)
    return family, first


async def _watch(mirror: Mirror, story: Story, first: FirstFailure, streams: LogStreams, root: Object) -> Family:
    while True:
        await mirror.changed()
        if not mirror.connected:
            story.lost()
            continue
        if not mirror.complete:
            continue
        family = mirror.family(uid_of(root))
        if family is None:
            raise JobNotFound(f'{root["kind"]} "{root["metadata"]["name"]}" was deleted while it was followed')
        await first.see(family)
        story.tell(family, first)
        streams.see(leaders(family), prefix=has_parts(family))
        if state_of(family).state.finished:
            return family


class Story:
    """What is said about a job while it changes; each fact once."""

    def __init__(self, console: Console, progress: Progress, clock: Clock) -> None:
        self._console = console
        self._clock = clock
        self._counted_at = -COUNT_SECONDS
        self._progress = progress
        self._said: Verdict | None = None
        self._pods: dict[str, str] = {}
        self._failure: Failure | None = None
        self._told: list[Failure] = []

    def lost(self) -> None:
        self._progress.show("connection lost, trying again; the job goes on")

    def tell(self, family: Family, first: FirstFailure) -> None:
        """Say what is new in ``family``; with the first restart also the end of the log that tells why."""
        verdict = state_of(family)
        before = self._said
        self._failure = first_failure(family, self._told) or self._failure
        if before is not None and verdict.restarts.done > before.restarts.done:
            self._tell_restart(verdict)
            if not before.restarts.done:
                for line in first.lines(self._console):
                    self._progress.keep(line)
        self._tell_pods(family)
        if before is None or (verdict.word, verdict.reason) != (before.word, before.reason):
            self._tell_state(family, verdict, before)
        self._said = verdict

    def _tell_state(self, family: Family, verdict: Verdict, before: Verdict | None) -> None:
        reason = f"  {verdict.reason}" if verdict.reason else ""
        text = f"{title_of(family)} {self._console.paint_state(verdict.word)}{reason}"
        if verdict.state.finished:
            return  # the verdict has its own line at the end
        if before is None or verdict.word != before.word:
            self._progress.keep(f"{self._console.glyph('start')} {text}")
        else:
            self._progress.show(text)

    def _tell_restart(self, verdict: Verdict) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            self._told.append(failure)
        cause = f": {failure}" if failure is not None else ""
        self._progress.keep(
            f"{self._console.paint(self._console.glyph('retry'), 'yellow')} "
            f"restart {verdict.restarts.done} of {verdict.restarts.limit}{cause}"
        )

    def _tell_pods(self, family: Family) -> None:
        present = [pod for pod in family.pods if not is_deleting(pod)]
        words = {uid_of(pod): state_of_pod(pod, family.events) for pod in present}
        if max(len(present), family.wanted_pods() or 0) > MANY_PODS:
            self._count([verdict.state for verdict in words.values()])
            return
        width = max((len(short_name(pod)) for pod in present), default=0)
        for pod in present:
            verdict = words[uid_of(pod)]
            if verdict.state is State.QUEUED and not verdict.reason:
                continue  # just made: the scheduler's word comes next
            text = verdict.word + (f" on {node}" if (node := pod["spec"].get("nodeName")) else "")
            text += f"  {verdict.reason}" if verdict.reason else ""
            if self._pods.get(uid_of(pod)) != text:
                self._pods[uid_of(pod)] = text
                self._progress.keep(f"  {short_name(pod):<{width}}  {text}")

    def _count(self, states: list[State]) -> None:
        now = self._clock.monotonic()
        if not self._console.live and now - self._counted_at < COUNT_SECONDS:
            return
        self._counted_at = now
        counts = Counter(states)
        self._progress.show("pods: " + ", ".join(f"{counts[s]} {s}" for s in State if counts[s]))


def has_parts(family: Family) -> bool:
    """Whether log lines must say which part of the job they come from."""
    return family.job_set is not None and len(family.job_set["spec"].get("replicatedJobs") or ()) > 1


def leaders(family: Family) -> list[Object]:
    """Rank 0 of every part; pods without a number are all leaders."""
    return [
        pod
        for pod in family.pods
        if completion_index(pod) in (0, None) and labels_of(pod).get(labels.JOB_INDEX, "0") == "0"
    ]
