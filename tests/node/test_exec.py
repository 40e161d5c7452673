"""Commands in running pods: streams, terminals, exit codes, and what is left of clients that go away."""

from __future__ import annotations

import asyncio

import pytest

from sidings.api.pods import StreamOptions
from sidings.api.resources import PODS
from sidings.api.status import BadRequest, InternalError
from tests.node.clusters import Cluster
from tests.node.sessions import Client

PIPES = StreamOptions("c", stdout=True, stderr=True)
WITH_STDIN = StreamOptions("c", stdin=True, stdout=True, stderr=True)
TERMINAL = StreamOptions("c", stdin=True, stdout=True, tty=True)


async def _run(cluster: Cluster, script: str, options: StreamOptions = PIPES, client: Client | None = None) -> int:
    command = ("sh", "-c", script)
    return await cluster.agent.doors.execute(await cluster.get(), command, options, client or Client())


@pytest.fixture
async def sleeping(cluster: Cluster) -> Cluster:
    """A cluster with a pod ``p`` that does nothing but live."""
    await cluster.run("export MAIN=1; cd /tmp; echo ready; exec sleep 600")
    await cluster.phase("Running")
    await cluster.said("ready")
    return cluster


async def test_output_and_exit_code(sleeping: Cluster) -> None:
    client = Client()
    assert await _run(sleeping, "echo out; echo err >&2; exit 3", client=client) == 3
    assert (client.out, client.err) == (b"out\n", b"err\n")
    assert await _run(sleeping, "kill -TERM $$") == 143


async def test_it_runs_inside_the_container(sleeping: Cluster) -> None:
    client = Client()
    await _run(sleeping, "hostname; pwd; pgrep -x sleep; cat", client=client)
    assert client.out.split()[:2] == [b"p", b"/workspace"]
    assert len(client.out.split()) == 3  # the pod's own sleep, and stdin is empty


async def test_stdin_ends_where_the_client_ends_it(sleeping: Cluster) -> None:
    client = Client(b"a\nb\n", b"c\n")
    assert await _run(sleeping, "sort -r", WITH_STDIN, client) == 0
    assert client.out == b"c\nb\na\n"


async def test_a_command_may_leave_its_stdin_unread(sleeping: Cluster) -> None:
    client = Client(bytes(10**6))
    assert await _run(sleeping, "head -c 5 | wc -c", WITH_STDIN, client) == 0
    assert client.out.strip() == b"5"


async def test_a_large_output_is_complete(sleeping: Cluster) -> None:
    client = Client()
    await _run(sleeping, "seq 1 200000", client=client)
    assert client.out == b"".join(b"%d\n" % number for number in range(1, 200_001))


async def test_it_ends_with_its_command_not_with_what_that_leaves_behind(sleeping: Cluster) -> None:
    client = Client()
    async with asyncio.timeout(60):
        assert await _run(sleeping, "echo said; sleep 100 & exit 4", client=client) == 4
    assert client.out == b"said\n"


async def test_a_terminal(sleeping: Cluster) -> None:
    client = Client(b"tty; echo $TERM\n", b"exit 7\n", ends=False)
    client.resize(111, 33)
    assert await _run(sleeping, "stty size; exec sh", TERMINAL, client) == 7
    assert b"33 111\r\n" in client.out
    assert b"/dev/pts/0\r\n" in client.out
    assert b"xterm\r\n" in client.out


async def test_what_cannot_be_started(sleeping: Cluster) -> None:
    pod = await sleeping.get()
    with pytest.raises(InternalError, match=r'error executing command in container: exec: "nope": executable file not'):
        await sleeping.agent.doors.execute(pod, ("nope",), PIPES, Client())
    with pytest.raises(InternalError, match="no such file or directory"):
        await sleeping.agent.doors.execute(pod, ("/no/pe",), TERMINAL, Client())


async def test_a_pod_that_has_ended(cluster: Cluster) -> None:
    await cluster.output("exit 0")
    with pytest.raises(BadRequest, match=r'container not found \("c"\)'):
        await _run(cluster, "true")


@pytest.mark.parametrize("options", [WITH_STDIN, TERMINAL])
async def test_a_client_that_goes_takes_its_command_along(sleeping: Cluster, options: StreamOptions) -> None:
    client = Client(ends=False)
    going = asyncio.create_task(_run(sleeping, "echo here; exec sleep 12345", options, client))
    await client.said(b"here")
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
    async with asyncio.timeout(60):
        while await _run(sleeping, "pgrep -f 'sleep 1234[5]'") == 0:
            pass


async def test_a_pod_that_is_killed_ends_its_sessions(sleeping: Cluster) -> None:
    client = Client(ends=False)
    going = asyncio.create_task(_run(sleeping, "echo here; exec sleep 600", WITH_STDIN, client))
    await client.said(b"here")
    await sleeping.client.delete(PODS, "p", "default", grace_period_seconds=0)
    async with asyncio.timeout(60):
        assert await going == 137


async def test_sessions_do_not_hold_up_a_pod_that_is_stopped(sleeping: Cluster) -> None:
    client = Client(ends=False)
    going = asyncio.create_task(_run(sleeping, "trap '' TERM HUP; echo here; exec sleep 600", WITH_STDIN, client))
    await client.said(b"here")
    await sleeping.client.delete(PODS, "p", "default", grace_period_seconds=60)
    async with asyncio.timeout(60):
        assert await going == 137
        await sleeping.gone()


async def test_a_client_that_does_not_read_holds_up_its_own_command_only(sleeping: Cluster) -> None:
    stuck = Client(reads=False)
    going = asyncio.create_task(_run(sleeping, "yes", client=stuck))
    await stuck.said(b"y")
    async with asyncio.timeout(60):
        assert await _run(sleeping, "true") == 0
    assert not going.done()
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
