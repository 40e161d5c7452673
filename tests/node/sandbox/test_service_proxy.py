"""Connections from one pod to a Service's address, carried to another: as root and as an ordinary user."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from sidings.node.sandbox import identity
from sidings.node.sandbox.service_proxy import Entry, Table
from tests.node.sandbox.test_outside import OWN, needs_address, server_of_this_machine
from tests.node.sandboxes import Sandboxes
from tests.node.waiting import until

SERVER = """import socket, sys
listener = socket.create_server(("", 8080))
print("up", flush=True)
while True:
    with listener.accept()[0] as client:
        while data := client.recv(65536):
            client.sendall(sys.argv[1].encode() + data)
"""
CLIENT = """import socket, sys
with socket.create_connection((sys.argv[1], 80), timeout=60) as server:
    server.sendall(b"hello")
    server.shutdown(socket.SHUT_WR)
    while data := server.recv(65536):
        print(data.decode(), end="", flush=True)
"""
MANY = """import hashlib, socket, sys, threading
with socket.create_connection((sys.argv[1], 80), timeout=60) as server:
    sent = bytes(range(256)) * 40000
    threading.Thread(target=lambda: (server.sendall(sent), server.shutdown(socket.SHUT_WR))).start()
    got = b"".join(iter(lambda: server.recv(1 << 20), b""))
print(len(got) == len(sent), hashlib.sha256(got).digest() == hashlib.sha256(sent).digest())
"""


def _point(sandbox: Sandboxes, table: Table) -> None:
    fresh = sandbox.directory / "services.new"
    fresh.write_text(json.dumps(table))
    fresh.chmod(0o644)
    fresh.replace(sandbox.directory / "services.json")


async def _ask(sandbox: Sandboxes, pod: Path, address: str, name: str, script: str = CLIENT) -> tuple[int, str]:
    return await sandbox.output(pod, "python3", "-c", script, address, name=name)


async def _serve(sandbox: Sandboxes, number: int, mark: str) -> Path:
    pod = await sandbox.start_pod(number)
    await sandbox.run(pod, "python3", "-c", SERVER, mark, name="server")
    await sandbox.said("up", pod, "server")
    return pod


async def test_a_service_takes_turns_and_follows_its_table(sandbox: Sandboxes) -> None:
    one = await _serve(sandbox, 1, "1:")
    await _serve(sandbox, 2, "2:")
    _point(sandbox, {"tcp/10.96.0.5:80": Entry(["10.244.1.2:8080", "10.244.1.3:8080"])})
    answers = [(await _ask(sandbox, one, "10.96.0.5", f"c{turn}"))[1] for turn in range(2)]
    assert sorted(answers) == ["1:hello", "2:hello"]
    _point(sandbox, {"tcp/10.97.1.1:80": Entry(["10.244.1.9:8080", "10.244.1.3:8080"])})
    code, text = await _ask(sandbox, one, "10.97.1.1", "next")
    assert (code, text) == (0, "2:hello"), "a pod that is gone is passed over"
    code, text = await _ask(sandbox, one, "10.96.0.5", "gone")
    assert code == 1 and "refused" in text


async def test_much_passes_unchanged_in_both_directions(sandbox: Sandboxes) -> None:
    pod = await _serve(sandbox, 1, "")
    _point(sandbox, {"tcp/10.96.0.5:80": Entry(["10.244.1.2:8080"])})
    code, text = await _ask(sandbox, pod, "10.96.0.5", "many", MANY)
    assert (code, text) == (0, "True True\n")


async def test_a_proxy_that_was_killed_is_replaced(sandbox: Sandboxes) -> None:
    pod = await _serve(sandbox, 1, "1:")
    _point(sandbox, {"tcp/10.96.0.5:80": Entry(["10.244.1.2:8080"])})
    note = sandbox.directory / "service-proxy.json"
    before = json.loads(note.read_text())["pid"]
    os.kill(before, signal.SIGKILL)
    await until(lambda: json.loads(note.read_text())["pid"] != before)
    assert identity.start_time(before) == 0
    await until(lambda: note.exists())
    code, text = await _ask(sandbox, pod, "10.96.0.5", "c")
    assert (code, text) == (0, "1:hello")


ECHO = """import socket, sys
listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listener.bind(("", 5353))
print("up", flush=True)
while True:
    data, client = listener.recvfrom(65536)
    listener.sendto(sys.argv[1].encode() + data, client)
"""
ASK_UDP = """import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.settimeout(60)
    asking.connect((sys.argv[1], 53))
    for word in (b"one ", b"two "):
        asking.send(word)
        print(asking.recv(65536).decode(), end="")
"""


async def test_datagrams_of_one_client_go_to_one_pod_and_come_back(sandbox: Sandboxes) -> None:
    for number, mark in ((1, "1:"), (2, "2:")):
        pod = await sandbox.start_pod(number)
        await sandbox.run(pod, "python3", "-c", ECHO, mark, name="server")
        await sandbox.said("up", pod, "server")
    _point(sandbox, {"udp/10.96.0.5:53": Entry(["10.244.1.2:5353", "10.244.1.3:5353"])})
    texts = {(await _ask(sandbox, pod, "10.96.0.5", f"c{turn}", ASK_UDP))[1] for turn in range(2)}
    assert texts == {"1:one 1:two ", "2:one 2:two "}
    _point(sandbox, {"udp/10.96.0.5:53": Entry([])})
    code, text = await _ask(sandbox, pod, "10.96.0.5", "gone", ASK_UDP)
    assert code == 1 and "refused" in text


async def test_a_client_with_affinity_keeps_its_pod(sandbox: Sandboxes) -> None:
    one = await _serve(sandbox, 1, "1:")
    await _serve(sandbox, 2, "2:")
    _point(sandbox, {"tcp/10.96.0.5:80": Entry(["10.244.1.2:8080", "10.244.1.3:8080"], 100)})
    answers = {(await _ask(sandbox, one, "10.96.0.5", f"c{turn}"))[1] for turn in range(3)}
    assert len(answers) == 1


CROWD = """import concurrent.futures, socket, sys
def ask(number):
    with socket.create_connection((sys.argv[1], 80), timeout=60) as server:
        server.sendall(b"%d" % number)
        server.shutdown(socket.SHUT_WR)
        return server.makefile().read() == f"1:{number}"
with concurrent.futures.ThreadPoolExecutor(50) as pool:
    print(sum(pool.map(ask, range(400))))
"""
PATIENT_SERVER = """import socket, sys, threading
listener = socket.create_server(("", 8080), backlog=512)
def serve(client):
    with client:
        client.sendall(sys.argv[1].encode() + client.makefile("rb").read())
print("up", flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],)).start()
"""


async def test_many_connections_at_once_all_arrive(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "python3", "-c", PATIENT_SERVER, "1:", name="server")
    await sandbox.said("up", pod, "server")
    _point(sandbox, {"tcp/10.96.0.5:80": Entry(["10.244.1.2:8080"])})
    assert await _ask(sandbox, pod, "10.96.0.5", "crowd", CROWD) == (0, "400\n")


@needs_address
async def test_a_service_may_lead_outside(sandbox: Sandboxes) -> None:
    """To an address that somebody wrote into its endpoints: a database of the company's network, say."""
    pod = await sandbox.start_pod(1)
    with server_of_this_machine(OWN[0]) as port:
        _point(sandbox, {"tcp/10.96.0.5:80": Entry([f"{OWN[0]}:{port}"])})
        assert await _ask(sandbox, pod, "10.96.0.5", "a") == (0, "outside:hello")
