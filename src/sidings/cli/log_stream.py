"""Logs of many pods as one stream of whole lines.

Lines of two ranks may alternate but never mix: each rank's bytes are cut at line ends before they are written. With
more than one source every line carries its rank. A container that is started again is a new source. A connection that
breaks is taken up again at the line where it broke: lines are asked for with their times, which are then taken off.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from typing import NamedTuple

from sidings.answers.family import completion_index, short_name
from sidings.api import timestamps
from sidings.api.objects import Object, key_of, uid_of
from sidings.api.pods import LogOptions
from sidings.api.status import ApiError, BadRequest, NotFound
from sidings.cli.console import Console
from sidings.client.errors import ServerUnreachable
from sidings.client.interface import Client
from sidings.clock import Clock

RETRY_SECONDS = 0.5
_PREFIX_COLOURS = ("cyan", "green", "yellow", "blue", "red")


class Source(NamedTuple):
    """One life of one container."""

    uid: str
    container: str
    life: int


class LogStreams:
    """Follows the containers it is shown, inside a task group, and writes their lines to the console."""

    def __init__(
        self,
        client: Client,
        console: Console,
        clock: Clock,
        tasks: asyncio.TaskGroup,
        *,
        container: str = "",
        tail_lines: int | None = None,
    ) -> None:
        self._client = client
        self._console = console
        self._clock = clock
        self._tasks = tasks
        self._container = container
        self._tail_lines = tail_lines
        self._streams: dict[Source, asyncio.Task[None]] = {}

    def see(self, pods: Iterable[Object], *, prefix: bool) -> None:
        """Start to follow every container of ``pods`` that has started and is not followed yet."""
        for pod in pods:
            for source in started_containers(pod, self._container):
                if source not in self._streams:
                    self._streams[source] = self._tasks.create_task(self._follow(pod, source, prefix))

    async def drain(self, seconds: float) -> None:
        """Wait for streams to end by themselves, then end the others."""
        if self._streams:
            _, unfinished = await asyncio.wait(self._streams.values(), timeout=seconds)
            for task in unfinished:
                task.cancel()

    async def _follow(self, pod: Object, source: Source, prefix: bool) -> None:
        label = prefix_of(self._console, pod).encode() if prefix else b""
        place = Place(self._tail_lines)
        key = key_of(pod)
        while True:
            options = LogOptions(
                source.container, follow=True, timestamps=True, tail_lines=place.tail_lines, since=place.since
            )
            try:
                async for line in lines_of(self._client.logs(key.name, key.namespace, options)):
                    if (text := place.new(line)) is not None:
                        self._console.write(label + text)
            except (BadRequest, NotFound):
                return  # gone before its log was read: whoever follows the job sees that and tells
            except ServerUnreachable:
                place.broke()
                await self._clock.sleep(RETRY_SECONDS)
                continue
            return


class Place:
    """How far a log has been read: the time of the last line, and how many lines have had that very time."""

    def __init__(self, tail_lines: int | None = None) -> None:
        self.tail_lines = tail_lines
        self.since: datetime | None = None
        self._last = b""
        self._count = 0
        self._skip = 0

    def new(self, line: bytes) -> bytes | None:
        """``line`` without its time; None where it was read before the connection broke."""
        stamp, _, text = line.partition(b" ")
        if stamp < self._last:
            return None
        if stamp == self._last and self._skip:
            self._skip -= 1
            return None
        self._count = self._count + 1 if stamp == self._last else 1
        self._last = stamp
        return text

    def broke(self) -> None:
        """Before a new connection: read on from the last line, which comes again."""
        if self._last:
            self.tail_lines = None
            self.since = timestamps.from_text(self._last.decode())
            self._skip = self._count


def prefix_of(console: Console, pod: Object) -> str:
    """``node-0-1 | ``, in the colour of its rank."""
    rank = completion_index(pod) or 0
    return console.paint(f"{short_name(pod)} | ", _PREFIX_COLOURS[rank % len(_PREFIX_COLOURS)])


async def copy_lines(client: Client, pod: Object, options: LogOptions, prefix: str, console: Console) -> None:
    """Write one container's log to the console's stdout, each line after ``prefix``."""
    key = key_of(pod)
    async for line in lines_of(client.logs(key.name, key.namespace, options)):
        console.write(prefix.encode() + line)


async def lines_of(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Whole lines with their line ends; a last line without one is given one."""
    rest = b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest + b"\n"


def started_containers(pod: Object, only: str = "") -> list[Source]:
    """The containers of ``pod`` (or ``only`` one) that have written or may write a log."""
    return [
        Source(uid_of(pod), str(container["name"]), int(container.get("restartCount") or 0))
        for container in (pod.get("status") or {}).get("containerStatuses") or ()
        if only in ("", container["name"]) and {"running", "terminated"} & set(container.get("state") or {})
    ]


async def tail_of(
    client: Client, pod: Object, container: str, *, lines: int, previous: bool = False, timestamps: bool = False
) -> list[str]:
    """The last lines of a container's log, after their ``timestamps`` if wanted; none where it went with its pod."""
    key = key_of(pod)
    options = LogOptions(container, previous=previous, tail_lines=lines, timestamps=timestamps)
    try:
        text = b"".join([chunk async for chunk in client.logs(key.name, key.namespace, options)])
    except ApiError:
        return []
    return text.decode("utf-8", errors="replace").splitlines()
