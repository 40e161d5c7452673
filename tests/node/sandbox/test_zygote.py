"""The zygote: what it may lose without its pods, and that nothing is left of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sidings.clock import SystemClock
from sidings.node import shutdown
from sidings.node.errors import SandboxFailed
from sidings.node.sandbox import identity
from sidings.node.sandbox.name_server import Table
from sidings.node.sandbox.netlink import BRIDGE_ADDRESS
from tests.node.sandboxes import Sandboxes, leftovers
from tests.node.waiting import until


async def test_pods_survive_their_zygote_and_a_new_one_joins_them(sandbox: Sandboxes) -> None:
    """A new zygote takes over the old one's network: pods from before and after reach each other."""
    first = await sandbox.start_pod(1)
    server = "import socket; s=socket.create_server(('',5000)); print('up',flush=True); s.accept()[0].send(b'hello')"
    await sandbox.run(first, "python3", "-c", server)
    zygote = json.loads((sandbox.directory / "zygote.json").read_text())
    os.kill(zygote["pid"], signal.SIGKILL)
    await until(lambda: not identity.is_alive(zygote["pid"], zygote["start_time"], zygote["boot_id"]))
    sandbox.start_zygote()
    second = await sandbox.start_pod(2)
    await sandbox.said("up", first)
    caller = "import socket; print(socket.create_connection(('10.244.1.2',5000)).recv(9).decode())"
    assert await sandbox.output(second, "python3", "-c", caller) == (0, "hello\n")
    assert (await sandbox.ended(first)).exit_code == 0


async def test_a_second_zygote_on_the_same_state_is_refused(sandbox: Sandboxes) -> None:
    with pytest.raises(Exception, match="refuses pod sandboxes"):
        sandbox.start_zygote()
    pod = await sandbox.start_pod()
    assert await sandbox.shell(pod, "echo fine") == (0, "fine\n")


async def test_names_resolve_in_pods_as_soon_as_they_are_known(sandbox: Sandboxes) -> None:
    zone = "workers.default.svc.cluster.local"
    table = sandbox.directory / "dns.json"
    table.write_text(Table({}, {}, frozenset({zone})).dump())
    pod = await sandbox.start_pod()
    lookup = f"import socket; print('asking', flush=True); print(socket.gethostbyname('w-0.{zone}'))"
    await sandbox.run(pod, "python3", "-c", lookup)
    await sandbox.said("asking", pod)
    fresh = sandbox.directory / "dns.new"
    fresh.write_text(Table({f"w-0.{zone}": ["10.244.1.9"]}, {"10.244.1.9": f"w-0.{zone}"}, frozenset({zone})).dump())
    fresh.replace(table)
    await sandbox.ended(pod)
    assert sandbox.log(pod) == "asking\n10.244.1.9\n"
    reverse = "import socket; print(socket.gethostbyaddr('10.244.1.9')[0])"
    assert await sandbox.output(pod, "python3", "-c", reverse, attempt=1) == (0, f"w-0.{zone}\n")


async def test_unknown_names_and_reverse_zones_fail_at_once(sandbox: Sandboxes) -> None:
    """Failure mode 8 of the prototype: each look-up that nobody answers costs seconds."""
    script = """
import socket, time
start = time.monotonic()
for name, port in (("example.com", 80), ("nobody.svc.cluster.local", 80)):
    try: socket.getaddrinfo(name, port)
    except socket.gaierror: print("unknown")
for address in ("::ffff:10.244.1.2", "8.8.8.8"):
    print(socket.getnameinfo((address, 80), 0)[0])
print("fast" if time.monotonic() - start < 1 else "slow")
"""
    pod = await sandbox.start_pod()
    code, text = await sandbox.output(pod, "python3", "-c", script)
    assert (code, text.split()) == (0, ["unknown", "unknown", "::ffff:10.244.1.2", "8.8.8.8", "fast"])


async def test_the_name_server_keeps_its_link_address_while_pods_come_and_go(sandbox: Sandboxes) -> None:
    """A pod that had to learn a new one would wait ten seconds for its next look-up."""
    asking = "getent hosts nobody.example; awk '$1 == \"10.244.0.1\" {print $4}' /proc/net/arp"
    pod = await sandbox.start_pod(1)
    assert await sandbox.shell(pod, asking) == (0, f"{BRIDGE_ADDRESS.hex(':')}\n")
    other = await sandbox.start_pod(2)
    await sandbox.client.leave(other)
    third = await sandbox.start_pod(3)
    assert await sandbox.shell(third, asking) == (0, f"{BRIDGE_ADDRESS.hex(':')}\n")


async def test_a_pod_that_cannot_be_made_says_why(sandbox: Sandboxes) -> None:
    await sandbox.start_pod(1)
    with pytest.raises(SandboxFailed, match="File exists"):
        await sandbox.start_pod(1)  # its interface is there already


async def test_the_host_sees_no_interface_and_no_mount(sandbox: Sandboxes) -> None:
    before = Path("/proc/self/mountinfo").read_text()
    interfaces = sorted(Path("/sys/class/net").iterdir())
    await sandbox.start_pod()
    assert sorted(Path("/sys/class/net").iterdir()) == interfaces
    assert Path("/proc/self/mountinfo").read_text() == before


async def test_after_a_stop_nothing_is_left_even_if_the_zygote_was_killed(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "sleep", "60")
    os.kill(json.loads((sandbox.directory / "zygote.json").read_text())["pid"], signal.SIGKILL)
    assert await shutdown.stop_sandboxes(sandbox.client, SystemClock()) == 1
    assert leftovers(sandbox.directory) == []


async def test_a_stop_with_grace_lets_pods_end_by_themselves(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done")
    await sandbox.said("ready", pod)
    await shutdown.stop_sandboxes(sandbox.client, SystemClock(), grace_seconds=20)
    assert sandbox.attempts(pod)[0].exit_code == 5


async def test_no_pipe_of_the_starter_is_kept_open(state_dir: Path) -> None:
    """Failure mode 6 of the prototype.

    The caller's output must end when the caller does, however long the pods live.
    """
    program = (
        "import sys; from pathlib import Path; from sidings.node.sandbox.client import SandboxClient; "
        "SandboxClient(Path(sys.argv[1])).start_zygote(); print('started')"
    )
    sandboxes = Sandboxes(state_dir, as_user=os.geteuid() != 0)
    try:
        done = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", program, str(state_dir)], capture_output=True, text=True, timeout=120
        )
        assert done.stdout == "started\n"
    finally:
        await sandboxes.close()
