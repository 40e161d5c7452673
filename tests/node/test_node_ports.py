"""Ports of the machine that lead to pods: which, and what they carry."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import pytest

from sidings.api.conditions import is_true
from sidings.api.objects import Object
from sidings.api.resources import SERVICES
from sidings.node.errors import SandboxFailed
from sidings.node.node_ports import Lead, NodePorts, leads
from tests.node.clusters import Cluster
from tests.node.pods import container, pod

READY = {"conditions": [{"type": "Ready", "status": "True"}]}
SERVICE: Object = {
    "metadata": {"name": "web", "namespace": "default", "uid": "s"},
    "spec": {
        "clusterIP": "10.96.0.9",
        "selector": {"app": "web"},
        "ports": [
            {"port": 80, "targetPort": 8080, "nodePort": 30080},
            {"port": 53, "protocol": "UDP", "nodePort": 30053},
        ],
    },
}


def _pod(uid: str, *ports: Object) -> Object:
    return pod(container(ports=list(ports)), uid=uid, metadata={"labels": {"app": "web"}}) | {"status": READY}


def test_tcp_node_ports_lead_to_ready_pods_and_host_ports_to_their_pod() -> None:
    pods = [_pod("a"), _pod("b", {"containerPort": 8080, "hostPort": 18080}), _pod("gone")]
    found = leads([SERVICE], pods, {"a": "10.244.1.2", "b": "10.244.1.3"})
    assert {port: lead.backends for port, lead in found.items()} == {
        30080: [("a", 8080), ("b", 8080)],
        18080: [("b", 8080)],
    }


class Town:
    """``NodePorts`` whose pods are servers of the test: each answers with its name."""

    def __init__(self) -> None:
        self.pods: dict[str, int] = {}
        self.noted: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._servers: list[asyncio.Server] = []
        self.ports = NodePorts(self._dial, lambda owner, type_, reason, text: self.noted.append(text), self._spawn)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.add(asyncio.create_task(work))

    async def _dial(self, uid: str, port: int) -> socket.socket:
        if uid not in self.pods:
            raise SandboxFailed("the pod has ended")
        made = socket.socket()
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", self.pods[uid]))
        return made

    async def add(self, name: str) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(name.encode() + await reader.read())
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        self._servers.append(server)
        self.pods[name] = server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self.ports.close()
        await asyncio.gather(*self._tasks)
        for server in self._servers:
            server.close()


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    made = Town()
    yield made
    await made.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as made:
        return int(made.getsockname()[1])


async def _ask(port: int) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(b":hello")
        writer.write_eof()
        return (await asyncio.wait_for(reader.read(), 10)).decode()
    finally:
        writer.close()


async def test_connections_take_turns_and_pass_over_pods_that_are_gone(town: Town) -> None:
    await town.add("a")
    await town.add("b")
    port = _free_port()
    town.ports.refresh({port: Lead(SERVICE, [("a", 80), ("gone", 80), ("b", 80)])})
    assert {await _ask(port) for _ in range(3)} == {"a:hello", "b:hello"}


async def test_a_port_that_leads_nowhere_resets_and_one_no_longer_wanted_refuses(town: Town) -> None:
    port = _free_port()
    town.ports.refresh({port: Lead(SERVICE, [])})
    with pytest.raises(ConnectionResetError):
        await _ask(port)
    town.ports.refresh({})
    with pytest.raises(ConnectionRefusedError):
        await _ask(port)


async def test_a_port_of_somebody_else_is_told_once_and_taken_when_it_is_free(town: Town) -> None:
    await town.add("a")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        for _ in range(2):
            town.ports.refresh({port: Lead(SERVICE, [("a", 80)])})
        [text] = town.noted
        assert f"cannot listen on 127.0.0.1:{port}" in text and f"ss -ltnp 'sport = :{port}'" in text
    town.ports.refresh({port: Lead(SERVICE, [("a", 80)])})
    assert await _ask(port) == "a:hello"


async def test_a_pod_is_reached_from_the_machine(cluster: Cluster) -> None:
    node_port, host_port = _free_port(), _free_port()
    ports = [{"port": 80, "targetPort": 8080, "nodePort": node_port}]
    await cluster.create(SERVICES, "web", spec={"type": "NodePort", "selector": {"app": "web"}, "ports": ports})
    fields = {
        "ports": [{"containerPort": 8080, "hostPort": host_port}],
        "readinessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 1},
    }
    server = "cd /etc; exec python3 -m http.server 8080"
    await cluster.run(server, metadata={"labels": {"app": "web"}}, container_fields=fields)
    await cluster.until(lambda found: is_true(found, "Ready"))
    for port in (node_port, host_port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /hostname HTTP/1.0\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), 10)).endswith(b"\r\n\r\np\n")
        writer.close()
