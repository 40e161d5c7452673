import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.pods import LogOptions
from sidings.api.status import BadRequest, Invalid
from sidings.server import logs
from sidings.server.queries import Query
from sidings.server.responses import Response, Stream

pytestmark = pytest.mark.looptime

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def pod(*containers: str, init: tuple[str, ...] = (), node: str = "node-1") -> Object:
    spec: dict[str, Any] = {"containers": [{"name": name} for name in containers], "nodeName": node}
    if init:
        spec["initContainers"] = [{"name": name} for name in init]
    return {"metadata": {"name": "p", "namespace": "n", "uid": "u"}, "spec": spec}


class Pods:
    """Pods whose log is a list of chunks; an exception in it is raised, None never comes."""

    def __init__(self, *chunks: bytes | Exception | None) -> None:
        self.chunks = chunks
        self.asked: list[LogOptions] = []

    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        self.asked.append(options)
        for chunk in self.chunks:
            if chunk is None:
                await asyncio.get_running_loop().create_future()
            elif isinstance(chunk, Exception):
                raise chunk
            else:
                yield chunk


def test_everything_a_query_may_say() -> None:
    raw = b"container=a&follow=true&previous=1&timestamps=true&tailLines=0&limitBytes=9&sinceSeconds=60"
    assert logs.options(Query(raw), pod("a", "b"), NOW) == LogOptions(
        "a", True, True, NOW - timedelta(seconds=60), True, 0, 9
    )
    since = logs.options(Query(b"sinceTime=2026-11-30T11:00:00Z"), pod("a"), NOW).since
    assert since == NOW - timedelta(hours=1)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"tailLines=-1", "tailLines: Invalid value: -1: must be greater than or equal to 0"),
        (b"limitBytes=0", "limitBytes: Invalid value: 0: must be greater than 0"),
        (b"sinceSeconds=0", "sinceSeconds: Invalid value: 0: must be greater than 0"),
    ],
)
def test_impossible_options_are_invalid(raw: bytes, message: str) -> None:
    with pytest.raises(Invalid) as caught:
        logs.options(Query(raw), pod("a"), NOW)
    assert caught.value.message == f'PodLogOptions "p" is invalid: {message}'


def test_two_ways_to_say_since_when() -> None:
    with pytest.raises(Invalid, match="at most one of `sinceTime` or `sinceSeconds` may be specified"):
        logs.options(Query(b"sinceSeconds=1&sinceTime=2026-11-30T11:00:00Z"), pod("a"), NOW)
    with pytest.raises(BadRequest):
        logs.options(Query(b"sinceTime=yesterday"), pod("a"), NOW)


@pytest.mark.parametrize(
    ("of", "wanted", "found"),
    [
        (pod("a"), "", "a"),
        (pod("a", init=("i",)), "", "a"),
        (pod("a", "b"), "b", "b"),
        (pod("a", init=("i",)), "i", "i"),
    ],
)
def test_the_container(of: Object, wanted: str, found: str) -> None:
    assert logs.container_of(of, wanted) == found


@pytest.mark.parametrize(
    ("of", "wanted", "message"),
    [
        (pod("a"), "zz", "container zz is not valid for pod p"),
        (pod("a", "b"), "", "a container name must be specified for pod p, choose one of: [a b]"),
        (
            pod("a", "b", init=("i", "j")),
            "",
            "a container name must be specified for pod p, choose one of: [a b] or one of the init containers: [i j]",
        ),
    ],
)
def test_no_container(of: Object, wanted: str, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        logs.container_of(of, wanted)
    assert caught.value.message == message


async def streamed(answer: Response | Stream) -> list[bytes]:
    assert isinstance(answer, Stream)
    return [chunk async for chunk in answer.chunks]


async def test_a_log() -> None:
    pods = Pods(b"one\n", b"two\n")
    answer = await logs.answer(pods, pod("a"), Query(b"follow=true"), NOW)
    assert await streamed(answer) == [b"one\n", b"two\n"]
    assert pods.asked == [LogOptions("a", follow=True)]


async def test_an_empty_log() -> None:
    assert await streamed(await logs.answer(Pods(), pod("a"), Query(), NOW)) == []


async def test_a_pod_on_no_node_has_nothing_to_say() -> None:
    answer = await logs.answer(Pods(b"never"), pod("a", node=""), Query(), NOW)
    assert isinstance(answer, Response)
    assert (answer.status, answer.body) == (204, b"")


async def test_a_refusal_is_an_error_answer() -> None:
    waiting = BadRequest('container "a" in pod "p" is waiting to start: ContainerCreating')
    with pytest.raises(BadRequest, match="ContainerCreating"):
        await logs.answer(Pods(waiting), pod("a"), Query(), NOW)


async def test_a_silent_log_is_answered_before_its_first_line() -> None:
    answer = await logs.answer(Pods(None, b"never"), pod("a"), Query(b"follow=true"), NOW)
    assert isinstance(answer, Stream)
    reading = asyncio.create_task(anext(answer.chunks))  # type: ignore[arg-type]
    await asyncio.sleep(1)
    assert not reading.done()
    reading.cancel()
