"""A whole server in the test's event loop: a registry in memory behind real TLS, and the clients that people use."""

from __future__ import annotations

import asyncio
import os
import random
import sysconfig
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from sidings.api import catalog
from sidings.api.objects import Object, name_of
from sidings.api.pods import LogOptions
from sidings.api.resources import NAMESPACES
from sidings.api.status import BadRequest
from sidings.client import kubeconfig
from sidings.client.http import HttpClient
from sidings.clock import SystemClock
from sidings.registry.registry import Registry
from sidings.server import pki
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from sidings.server.serve import ApiServer, bind
from sidings.store.store import Store

KUBECTL = Path(sysconfig.get_path("scripts")) / "kubectl"


class FakePods:
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


class Answer(NamedTuple):
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

    async def __call__(self, *args: str, stdin: str = "") -> Answer:
        process = await self.start(*args, stdin=stdin)
        async with asyncio.timeout(30):
            out, err = await process.communicate()
        assert process.returncode is not None
        return Answer(process.returncode, out.decode(), err.decode())

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


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    clock, rng = SystemClock(), random.Random(1)
    identity = pki.ensure(tmp_path / "pki", datetime.now(UTC))
    store = Store.in_memory()
    registry = Registry(store, catalog.builtin(), clock, rng)
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
        yield Served(registry, pods, app, server, client, Kubectl(config, tmp_path))
    server.close()
    await running
    await store.close()
