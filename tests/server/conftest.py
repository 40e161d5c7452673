"""A registry in memory with the server in front of it, twice.

``api`` is the application alone, asked without sockets. ``served`` is a whole server in the test's event loop, behind
real TLS, and the clients that people use.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import sysconfig
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

from sidings.api import catalog
from sidings.api.objects import Object, name_of
from sidings.api.pods import LogOptions, Session, StreamOptions, Usage
from sidings.api.resources import NAMESPACES
from sidings.api.status import BadRequest
from sidings.client import kubeconfig
from sidings.client.http import HttpClient
from sidings.clock import SystemClock
from sidings.registry.admission.definitions import DefinitionNames
from sidings.registry.registry import Registry
from sidings.server import pki
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from sidings.server.serve import ApiServer, bind
from sidings.store.log import MemoryLog
from sidings.store.store import Store

KUBECTL = Path(sysconfig.get_path("scripts")) / "kubectl"


CONFIG_MAPS = "/api/v1/namespaces/n/configmaps"
JOB_SETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/n/jobsets"


def config_map(name: str = "a", **data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


class NoPods:
    """``api.pods.PodAccess`` of a node that is broken."""

    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        raise RuntimeError("a bug in the node")
        yield b""

    async def execute(self, pod: Object, command: tuple[str, ...], options: StreamOptions, session: Session) -> int:
        raise RuntimeError("a bug in the node")

    async def attach(self, pod: Object, options: StreamOptions, session: Session) -> None:
        raise RuntimeError("a bug in the node")

    async def connect(self, pod: Object, port: int) -> socket.socket:
        raise RuntimeError("a bug in the node")

    async def usage(self, pods: Sequence[Object]) -> Mapping[str, Mapping[str, Usage]]:
        raise RuntimeError("a bug in the node")


class Answer(NamedTuple):
    code: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> str:
        return str(self.json["message"])

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")


class Api:
    """An application to send requests to."""

    def __init__(self) -> None:
        clock, rng = SystemClock(), random.Random(1)
        self.disk = MemoryLog()
        store, admission = Store.in_memory(log=self.disk), (DefinitionNames(clock),)
        self.registry = Registry(store, catalog.builtin(), clock, rng, admission=admission)
        self.app = App(self.registry, NoPods(), StaticTokens({"t": ADMIN}), clock, rng)

    async def __call__(
        self,
        method: str,
        url: str,
        body: Any = None,
        *,
        chunks: list[bytes] | None = None,
        raw: Sequence[tuple[bytes, bytes]] = (),
        gone: bool = False,
        **headers: str,
    ) -> Answer:
        """``headers``: underscores become dashes. A body that is not bytes is sent as JSON. ``raw``: more headers.

        ``gone``: the client hangs up after its body, which ends a stream.
        """
        path, _, query = url.partition("?")
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {"host": "localhost:1", "authorization": "Bearer t", **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": unquote(path),
            "query_string": query.encode(),
            "headers": [*((k.replace("_", "-").encode(), v.encode()) for k, v in sent.items() if v), *raw],
        }
        parts = chunks or [data]
        incoming: asyncio.Queue[Object] = asyncio.Queue()
        for index, part in enumerate(parts):
            incoming.put_nowait({"type": "http.request", "body": part, "more_body": index + 1 < len(parts)})
        if gone:
            incoming.put_nowait({"type": "http.disconnect"})
        messages: list[Any] = []

        async def send(message: Any) -> None:
            messages.append(message)

        await self.app(scope, incoming.get, send)
        start, *rest = messages
        head = [(k.decode(), v.decode()) for k, v in start["headers"]]
        return Answer(start["status"], head, b"".join(message["body"] for message in rest))


@pytest.fixture
async def api() -> Api:
    made = Api()
    assert (await made("POST", "/api/v1/namespaces", {"metadata": {"name": "n"}})).code == 201
    return made


class FakePods(NoPods):
    """Logs in memory: pod name -> container -> lines. A container without lines is one that waits to start."""

    def __init__(self) -> None:
        self.lines: dict[str, dict[str, list[bytes]]] = {}
        self.more = asyncio.Condition()
        self.ended = False
        self.asked: list[LogOptions] = []

    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        self.asked.append(options)
        lines = self.lines.get(name_of(pod), {}).get(options.container)
        if lines is None:
            raise BadRequest(
                f'container "{options.container}" in pod "{name_of(pod)}" is waiting to start: ContainerCreating'
            )
        sent = len(lines) - options.tail_lines if options.tail_lines is not None else 0
        while True:
            for line in lines[max(sent, 0) :]:
                yield line
            sent = len(lines)
            if not options.follow or self.ended:
                return
            async with self.more:
                await self.more.wait()


class Outcome(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


class Kubectl:
    """The real kubectl, with a home of its own."""

    def __init__(self, config: Path, home: Path) -> None:
        self._environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "KUBECACHEDIR": str(home / "cache"),
            "KUBECONFIG": str(config),
        }

    async def start(self, *args: str, stdin: str = "") -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            KUBECTL,
            *args,
            env=self._environ,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdin is not None
        process.stdin.write(stdin.encode())
        process.stdin.close()
        return process

    async def __call__(self, *args: str, stdin: str = "") -> Outcome:
        process = await self.start(*args, stdin=stdin)
        async with asyncio.timeout(60):
            out, err = await process.communicate()
        assert process.returncode is not None
        return Outcome(process.returncode, out.decode(), err.decode())

    async def ok(self, *args: str, stdin: str = "") -> str:
        """The output of a command that must succeed without a word on stderr."""
        answer = await self(*args, stdin=stdin)
        assert (answer.code, answer.err) == (0, ""), answer
        return answer.out


class Served(NamedTuple):
    """A running server and what belongs to it."""

    registry: Registry
    pods: FakePods
    app: App
    server: ApiServer
    client: HttpClient
    kubectl: Kubectl
    token: str


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    clock, rng = SystemClock(), random.Random(1)
    identity = pki.ensure(tmp_path / "pki", datetime.now(UTC))
    store = Store.in_memory()
    registry = Registry(store, catalog.builtin(), clock, rng, admission=(DefinitionNames(clock),))
    for name in ("default", "kube-system"):
        namespaces = registry.catalog.by_plural(*NAMESPACES[:3])
        assert namespaces is not None
        await registry.create(namespaces, {"metadata": {"name": name}})
    pods = FakePods()
    app = App(registry, pods, StaticTokens({identity.token: ADMIN}), clock, rng)
    server = ApiServer(app, bind("127.0.0.1", 0), identity.certificate_file, identity.key_file)
    config = tmp_path / "kubeconfig"
    kubeconfig.write(config, server=server.url, certificate_authority=identity.authority, token=identity.token)
    running = asyncio.create_task(server.serve())
    async with HttpClient(kubeconfig.load([config])) as client:
        yield Served(registry, pods, app, server, client, Kubectl(config, tmp_path), identity.token)
    server.close()
    await running
    await store.close()
