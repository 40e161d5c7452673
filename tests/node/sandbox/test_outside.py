"""What pods reach outside of their network, and what they must not: as root and as an ordinary user."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from sidings.node.sandbox.outside import API_FILE, is_reachable
from tests.node.sandboxes import Sandboxes
from tests.node.waiting import until

ASK = """import socket, sys
try:
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60) as server:
        server.sendall(b"hello")
        server.shutdown(socket.SHUT_WR)
        print(server.makefile().read(), end="")
except OSError as error:
    print(type(error).__name__, end="")
"""


def _own_addresses() -> list[str]:
    """IPv4 addresses of this machine that a pod may reach."""
    found = [a.address for of in psutil.net_if_addrs().values() for a in of if a.family == socket.AF_INET]
    return [address for address in found if is_reachable(address)]


OWN = _own_addresses()
needs_address = pytest.mark.skipif(not OWN, reason="this machine has no address but its loopback")


@contextmanager
def server_of_this_machine(host: str) -> Iterator[int]:
    """A server of this machine that answers each client once with what it said; its port."""
    listener = socket.create_server((host, 0))

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                client.sendall(b"outside:" + client.makefile("rb").read())

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@needs_address
async def test_a_pod_reaches_any_port_of_a_machine_outside(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    with server_of_this_machine(OWN[0]) as port:
        assert await sandbox.output(pod, "python3", "-c", ASK, OWN[0], str(port)) == (0, "outside:hello")


async def test_a_pod_in_the_nodes_network_reaches_the_outside_and_is_told_what_it_cannot(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod(host_network=True)
    with server_of_this_machine(OWN[0]) as port:
        assert await sandbox.output(pod, "python3", "-c", ASK, OWN[0], str(port)) == (0, "outside:hello")
    send = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.99', 7))"
    code, text = await sandbox.output(pod, "python3", "-c", send, attempt=1)
    assert (code, "Operation not permitted" in text) == (1, True)


async def test_a_pod_reaches_nothing_on_the_machines_loopback(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    with server_of_this_machine("127.0.0.1") as port:
        for number, host in enumerate(("127.0.0.1", "10.244.0.1", "0.0.0.0")):
            code, text = await sandbox.output(pod, "python3", "-c", ASK, host, str(port), name=f"c{number}")
            assert (code, text) == (0, "ConnectionRefusedError"), host


async def test_what_pods_may_not_reach_is_refused_at_once(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    # A cloud's metadata service, and the port itself at which connections are caught.
    for number, (host, port) in enumerate((("169.254.169.254", 80), ("10.244.0.1", 15001))):
        code, text = await sandbox.output(pod, "python3", "-c", ASK, host, str(port), name=f"c{number}")
        assert (code, text) == (0, "ConnectionResetError"), host


async def test_datagrams_to_the_outside_are_refused_at_once(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    script = """import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.settimeout(60)
    asking.connect(("192.0.2.1", 123))
    try:
        asking.send(b"x")
        asking.recv(1)
    except OSError as error:
        print(error.strerror, end="")
"""
    assert await sandbox.output(pod, "python3", "-c", script) == (0, "No route to host")


@needs_address
async def test_a_pod_sees_that_nobody_listens_outside(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    with server_of_this_machine(OWN[0]) as port:
        pass
    code, text = await sandbox.output(pod, "python3", "-c", ASK, OWN[0], str(port))
    assert (code, text) == (0, "ConnectionResetError")


async def test_the_api_server_is_at_the_kubernetes_service(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    file = sandbox.directory / API_FILE
    with server_of_this_machine("127.0.0.1") as port:
        file.write_text(json.dumps(["127.0.0.1", port]))
        file.chmod(0o644)
        for number, (host, at) in enumerate((("10.96.0.1", 443), ("10.244.0.1", 6443))):
            answer = await sandbox.output(pod, "python3", "-c", ASK, host, str(at), name=f"c{number}")
            assert answer == (0, "outside:hello"), host
    file.unlink()
    assert (await sandbox.output(pod, "python3", "-c", ASK, "10.96.0.1", "443"))[1] == "ConnectionResetError"


@needs_address
async def test_a_way_outside_that_was_killed_is_replaced_with_the_next_pod(sandbox: Sandboxes) -> None:
    one = await sandbox.start_pod(1)
    note = sandbox.directory / "outside.json"
    before = json.loads(note.read_text())["pid"]
    os.kill(before, signal.SIGKILL)
    await until(lambda: not (sandbox.directory / "zygote.sock").exists())
    sandbox.start_zygote()
    assert json.loads(note.read_text())["pid"] != before
    with server_of_this_machine(OWN[0]) as port:
        assert await sandbox.output(one, "python3", "-c", ASK, OWN[0], str(port)) == (0, "outside:hello")


@needs_address
async def test_the_way_outside_survives_its_zygote(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    zygote = json.loads((sandbox.directory / "zygote.json").read_text())["pid"]
    os.kill(zygote, signal.SIGKILL)
    with server_of_this_machine(OWN[0]) as port:
        assert await sandbox.output(pod, "python3", "-c", ASK, OWN[0], str(port)) == (0, "outside:hello")


@pytest.mark.parametrize(
    ("host", "reachable"),
    [
        ("192.0.2.1", True),
        ("192.168.1.1", True),
        ("10.0.0.1", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("169.254.169.254", False),
        ("224.0.0.1", False),
        ("10.244.1.2", False),
        ("10.96.0.1", False),
    ],
)
def test_the_wall(host: str, reachable: bool) -> None:
    assert is_reachable(host) is reachable
