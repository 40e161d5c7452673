"""Clients attached to running pods: nothing missed, nothing twice, and nobody held up for long."""

from __future__ import annotations

import asyncio

import pytest

from sidings.api.pods import StreamOptions
from sidings.api.status import BadRequest
from tests.node.clusters import Cluster, terminated
from tests.node.sessions import Client

OUTPUT = StreamOptions("c", stdout=True, stderr=True)
BOTH_WAYS = StreamOptions("c", stdin=True, stdout=True, stderr=True)
TERMINAL = StreamOptions("c", stdin=True, stdout=True, tty=True)


async def _attach(cluster: Cluster, options: StreamOptions, client: Client) -> None:
    async with asyncio.timeout(60):
        await cluster.agent.doors.attach(await cluster.get(), options, client)


async def test_the_log_comes_first_and_the_rest_as_it_is_written(cluster: Cluster) -> None:
    await cluster.run("mkfifo /tmp/go; echo err >&2; seq 1 1000; cat /tmp/go; seq 1001 2000")
    await cluster.phase("Running")
    await cluster.said("1000")
    client = Client()
    attached = asyncio.create_task(_attach(cluster, OUTPUT, client))
    await client.said(b"1000\n")
    command = ("sh", "-c", "echo go > /tmp/go")
    await cluster.agent.doors.execute(await cluster.get(), command, StreamOptions("c"), Client())
    await attached
    assert client.out.replace(b"go\n", b"") == b"".join(b"%d\n" % number for number in range(1, 2001))
    assert client.err == b"err\n"


async def test_output_without_an_end_of_line_comes_at_once(cluster: Cluster) -> None:
    await cluster.run("printf 'name? '; read name; echo hello $name", container_fields={"stdin": True})
    await cluster.phase("Running")
    client = Client(ends=False)
    attached = asyncio.create_task(_attach(cluster, OUTPUT, client))
    await client.said(b"name? ")
    await _attach(cluster, BOTH_WAYS, Client(b"Ada\n", ends=False))
    await attached
    assert client.out == b"name? hello Ada\n"


async def test_an_ended_container_shows_its_log(cluster: Cluster) -> None:
    await cluster.run("echo one; echo two >&2; printf three")
    await cluster.phase("Succeeded")
    client = Client()
    await _attach(cluster, OUTPUT, client)
    assert (client.out, client.err) == (b"one\nthree", b"two\n")


async def test_who_has_just_read_the_log_is_not_shown_it_again(cluster: Cluster) -> None:
    await cluster.run("echo one; read go; echo two", container_fields={"stdin": True})
    await cluster.phase("Running")
    await cluster.said("one")
    assert await cluster.logs() == "one\n"
    client = Client(b"\n", ends=False)
    await _attach(cluster, BOTH_WAYS, client)
    assert client.out == b"two\n"


async def test_stdin_of_one_session(cluster: Cluster) -> None:
    fields = {"command": ["sort"], "stdin": True, "stdinOnce": True}
    await cluster.run("", container_fields=fields)
    await cluster.phase("Running")
    client = Client(b"b\n", b"a\n")
    await _attach(cluster, BOTH_WAYS, client)
    assert client.out == b"a\nb\n"
    assert terminated(await cluster.phase("Succeeded"))["exitCode"] == 0


async def test_stdin_stays_open_for_the_next_session(cluster: Cluster) -> None:
    await cluster.run("", container_fields={"command": ["cat"], "stdin": True})
    await cluster.phase("Running")
    for text in (b"one\n", b"two\n"):
        client = Client(text)
        attached = asyncio.create_task(_attach(cluster, BOTH_WAYS, client))
        await client.said(text)
        attached.cancel()
        await asyncio.gather(attached, return_exceptions=True)
    assert await cluster.logs() == "one\ntwo\n"
    assert (await cluster.get())["status"]["phase"] == "Running"


async def test_a_terminal(cluster: Cluster) -> None:
    await cluster.run("", container_fields={"command": ["sh"], "stdin": True, "stdinOnce": True, "tty": True})
    await cluster.phase("Running")
    client = Client(b"sleep 0.2; stty size\n", b"exit 5\n", ends=False)
    client.resize(77, 22)
    await _attach(cluster, TERMINAL, client)
    assert b"22 77\r\n" in client.out
    assert terminated(await cluster.phase("Failed"))["exitCode"] == 5


async def test_a_container_that_waits_to_start(cluster: Cluster) -> None:
    await cluster.run("true", volumes=[{"name": "v", "configMap": {"name": "none"}}])
    with pytest.raises(BadRequest, match='container "c" in pod "p" is waiting to start'):
        await _attach(cluster, OUTPUT, Client())


async def test_a_slow_client_gets_everything(cluster: Cluster) -> None:
    class Slow(Client):
        async def write(self, stream: str, data: bytes) -> None:
            await asyncio.sleep(0.01)
            await super().write(stream, data)

    await cluster.run("read go; seq 1 100000; read end", container_fields={"stdin": True})
    await cluster.phase("Running")
    client = Slow(b"\n", ends=False)
    attached = asyncio.create_task(_attach(cluster, BOTH_WAYS, client))
    await client.said(b"\n100000\n")
    await _attach(cluster, BOTH_WAYS, Client(b"end\n", ends=False))
    await attached
    assert client.out == b"".join(b"%d\n" % number for number in range(1, 100_001))


async def test_a_client_that_reads_nothing_holds_up_the_container_for_a_while_only(cluster: Cluster) -> None:
    await cluster.run("echo on; read go; seq 1 300000", container_fields={"stdin": True})
    await cluster.phase("Running")
    stuck = Client(reads=False)
    attached = asyncio.create_task(_attach(cluster, OUTPUT, stuck))
    await stuck.said(b"on\n")
    await cluster.agent.doors.attach(await cluster.get(), StreamOptions("c", stdin=True), Client(b"\n"))
    await cluster.phase("Succeeded")
    assert (await cluster.logs()).endswith("\n300000\n")
    attached.cancel()
    await asyncio.gather(attached, return_exceptions=True)
