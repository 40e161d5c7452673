"""Sessions from their first request to their last message, at an application in memory."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.pods import Session, StreamOptions
from sidings.api.resources import NAMESPACES, PODS
from sidings.api.status import BadRequest
from sidings.clock import SystemClock
from sidings.registry.registry import Registry
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from sidings.server.spdy import frames
from sidings.store.store import Store
from tests.server.conftest import NoPods
from tests.server.sockets import Wire
from tests.server.spdy_client import Client

V5 = "v5.channel.k8s.io"
POD = {"metadata": {"name": "p"}, "spec": {"nodeName": "n", "containers": [{"name": "main", "image": "i"}]}}


class Pods(NoPods):
    """``cat``, ``size`` and ``exit`` work, ``hang`` waits to be cancelled, ``refuse`` and ``break`` fail."""

    def __init__(self) -> None:
        self.hung_up = asyncio.Event()
        self.asked: list[tuple[Any, ...]] = []

    async def execute(self, pod: Object, command: tuple[str, ...], options: StreamOptions, session: Session) -> int:
        self.asked.append((command, options))
        match command[0]:
            case "cat":
                while data := await session.read():
                    await session.write("stdout", data)
            case "hang":
                await session.write("stdout", b"here")
                try:
                    await asyncio.Event().wait()
                finally:
                    self.hung_up.set()
            case "size":
                await session.write("stdout", b"%dx%d" % await session.resized())
            case "refuse":
                raise BadRequest("container not found")
            case "break":
                raise ValueError("a bug in the node")
        return 3 if command[0] == "exit" else 0

    async def attach(self, pod: Object, options: StreamOptions, session: Session) -> None:
        await session.write("stderr", b"attached")


class Sessions:
    def __init__(self, app: App, pods: Pods) -> None:
        self.app = app
        self.pods = pods

    def start(
        self, url: str, *subprotocols: str, token: str = "t", spdy: bool = False, **headers: str
    ) -> tuple[Wire, asyncio.Task[None]]:
        path, _, query = url.partition("?")
        wire = Wire()
        sent = {"host": "localhost:1", "authorization": f"Bearer {token}", **headers}
        scope = {
            "type": "websocket",
            "path": path,
            "query_string": query.encode(),
            "headers": [(key.encode(), value.encode()) for key, value in sent.items()],
            "subprotocols": list(subprotocols or (V5,)),
            "spdy": spdy,
        }
        wire.connect()
        return wire, asyncio.create_task(self.app(scope, wire.receive, wire.send))

    async def refusal(self, url: str, *subprotocols: str, **more: str) -> tuple[int, str]:
        """(HTTP status, message) of a session that is not accepted."""
        wire, serving = self.start(url, *subprotocols, **more)
        await serving
        start, body = wire.sent
        assert start["type"] == "websocket.http.response.start"
        return start["status"], json.loads(body["body"])["message"]


@pytest.fixture
async def sessions() -> Sessions:
    clock, rng = SystemClock(), random.Random(1)
    registry = Registry(Store.in_memory(), catalog.builtin(), clock, rng)
    for resource, obj in ((NAMESPACES, {"metadata": {"name": "n"}}), (PODS, POD)):
        kind = registry.catalog.by_plural(*resource[:3])
        assert kind is not None
        await registry.create(kind, obj, "n" if resource == PODS else "")
    pods = Pods()
    return Sessions(App(registry, pods, StaticTokens({"t": ADMIN}), clock, rng), pods)


def _exec(*command: str, streams: str = "stdin=1&stdout=1&stderr=1") -> str:
    words = "&".join(f"command={word}" for word in command)
    return f"/api/v1/namespaces/n/pods/p/exec?{words}&{streams}"


async def test_a_session(sessions: Sessions) -> None:
    wire, serving = sessions.start(_exec("cat", "-u"))
    wire.say(b"\x00hello", b"\xff\x00")
    assert await wire.closed() == 1000
    await serving
    assert wire.sent[0] == {"type": "websocket.accept", "subprotocol": V5}
    assert wire.heard == [b"\x01hello", b'\x03{"metadata":{},"status":"Success"}']
    assert sessions.pods.asked == [(("cat", "-u"), StreamOptions("main", stdin=True, stdout=True, stderr=True))]


async def test_an_older_client(sessions: Sessions) -> None:
    wire, _ = sessions.start(_exec("exit"), "v4.channel.k8s.io", "v3.channel.k8s.io")
    await wire.closed()
    assert wire.sent[0]["subprotocol"] == "v4.channel.k8s.io"
    assert b'"message":"3"' in wire.heard[0]


async def test_attach(sessions: Sessions) -> None:
    wire, _ = sessions.start("/api/v1/namespaces/n/pods/p/attach?stderr=1")
    await wire.closed()
    assert wire.heard[0] == b"\x02attached"


async def test_a_session_over_spdy(sessions: Sessions) -> None:
    wire, serving = sessions.start(_exec("cat"), "v5.channel.k8s.io", "v4.channel.k8s.io", spdy=True)
    client = Client(wire)
    error, stdin, stdout, stderr = (client.open(streamtype=name) for name in ("error", "stdin", "stdout", "stderr"))
    wire.say(frames.data(stdin, b"hello"), frames.data(stdin, b"", frames.FIN))
    await client.ended(error, stdout, stderr)
    assert client.received(stdout)[0] == b"hello"
    assert json.loads(client.received(error)[0]) == {"metadata": {}, "status": "Success"}
    assert await wire.closed() == 1000
    await serving
    assert wire.sent[0] == {"type": "websocket.accept", "subprotocol": "v4.channel.k8s.io"}


async def test_a_window_over_spdy(sessions: Sessions) -> None:
    streams = "stdin=1&stdout=1&tty=1"
    wire, _ = sessions.start(_exec("size", streams=streams), "v4.channel.k8s.io", spdy=True)
    client = Client(wire)
    _, _, stdout, resize = (client.open(streamtype=name) for name in ("error", "stdin", "stdout", "resize"))
    wire.say(frames.data(resize, b'{"Width":0}\n{"Width":111,"Hei'), frames.data(resize, b'ght":33}\n'))
    await client.ended(stdout)
    assert client.received(stdout)[0] == b"111x33"


@pytest.mark.parametrize(
    ("word", "message"),
    [("refuse", "container not found"), ("break", "Internal error occurred: ValueError: a bug in the node")],
)
async def test_what_the_node_refuses_is_said_in_the_session(sessions: Sessions, word: str, message: str) -> None:
    wire, _ = sessions.start(_exec(word))
    await wire.closed()
    assert json.loads(wire.heard[0][1:])["message"] == message


async def test_a_client_that_leaves_ends_its_command(sessions: Sessions) -> None:
    wire, serving = sessions.start(_exec("hang"))
    await wire.hears(b"here")
    wire.leave()
    async with asyncio.timeout(60):
        await sessions.pods.hung_up.wait()
        await serving


async def test_a_server_that_closes_ends_its_sessions(sessions: Sessions) -> None:
    wire, serving = sessions.start(_exec("hang"))
    await wire.hears(b"here")
    sessions.app.close()
    assert await wire.closed() == 1001
    await serving
    assert sessions.pods.hung_up.is_set()


async def test_what_is_refused_before_a_session(sessions: Sessions) -> None:
    pod = "/api/v1/namespaces/n/pods/p"
    assert await sessions.refusal(f"{pod}/exec?command=a&stdout=1", token="no") == (401, "Unauthorized")
    assert (await sessions.refusal(f"{pod}/exec?command=a&stdout=1", origin="https://evil.example"))[0] == 403
    assert (await sessions.refusal(f"{pod}/exec?command=a&stdout=1", host="evil.example"))[0] == 403
    assert await sessions.refusal(f"{pod}zz/exec?command=a&stdout=1") == (
        404,
        'pods "pzz" not found',
    )
    for path in (pod, f"{pod}/log", "/api/v1/namespaces/n/configmaps/p/exec", "/version", "/api/v1/pods/p/exec"):
        assert (await sessions.refusal(path))[0] == 404
    code, message = await sessions.refusal(f"{pod}/exec?command=a&stdout=1", "channel.k8s.io")
    assert code == 400
    assert "none of the protocols ['channel.k8s.io'] is served" in message
