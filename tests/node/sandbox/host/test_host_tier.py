"""Containers as processes of the machine, with the library (T2) and without (T3): what they see, and their end."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidings.node.errors import SandboxUnavailable
from sidings.node.sandbox import identity
from sidings.node.sandbox.client import SandboxClient, read_status
from sidings.node.sandbox.host import landlock
from sidings.node.sandbox.name_server import Table
from sidings.node.sandbox.spec import Bind
from sidings.node.sandbox.tier import Choice, Kind
from tests.node.sandboxes import Sandboxes
from tests.node.waiting import until

ZONE = "job.default.svc.cluster.local"
RESOLVER = "nameserver 10.244.0.1\nsearch default.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n"


@pytest.fixture(params=["library", "environment"])
async def host(
    request: pytest.FixtureRequest, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Sandboxes]:
    if request.param == "environment":
        monkeypatch.setenv("PATH", "/nowhere")  # the machine's compiler is not found
    made = Sandboxes(state_dir, as_user=False)
    made.client = SandboxClient(state_dir, wanted=Choice.HOST)
    try:
        made.start_zygote()
        wanted = Kind.LIBRARY if request.param == "library" else Kind.ENVIRONMENT
        if made.client.tier.kind != wanted:
            pytest.skip("there is no C compiler on this machine")
        yield made
    finally:
        await made.close()


async def started(host: Sandboxes, number: int = 1) -> Path:
    names = {f"pod-{n}.{ZONE}": [f"10.244.1.{n + 1}"] for n in (1, 2)}
    reverse = {addresses[0]: name for name, addresses in names.items()}
    (host.directory / "dns.json").write_text(Table(names, reverse, frozenset({ZONE})).dump())
    pod = await host.start_pod(number)
    (pod / "files/etc/resolv.conf").write_text(RESOLVER)
    return pod


def only_with_library(host: Sandboxes) -> None:
    if not host.client.tier.library:
        pytest.skip("needs the library")


async def test_volumes_are_at_their_mount_paths(host: Sandboxes) -> None:
    volume = host.folder(host.directory / "v")
    (volume / "run.sh").write_text("#!/bin/sh\necho ran; pwd\n")
    (volume / "run.sh").chmod(0o755)
    pod = await started(host)
    script = (
        "/mnt/v/run.sh; head -1 /mnt/v/run.sh; cd /mnt/v && echo new > made; "
        "cd /workspace && ls; echo x > /tmp/t; cat /tmp/t"
    )
    binds = (Bind(str(volume), "/mnt/v", read_only=False), Bind(str(volume), "/workspace/scripts"))
    code, text = await host.shell(pod, script, binds=binds)
    lines = text.split()
    assert (code, lines[0], lines[2:]) == (0, "ran", ["#!/bin/sh", "scripts", "x"])
    assert (volume / "made").read_text() == "new\n"
    assert not Path("/tmp/t").exists() and not Path("/mnt/v").exists()


async def test_programs_find_themselves_in_the_pod(host: Sandboxes) -> None:
    only_with_library(host)
    volume = host.folder(host.directory / "v")
    pod = await started(host)
    script = """
import os, platform, socket, tempfile
os.chdir("/mnt/v")
print(os.getcwd(), os.path.realpath("."), os.path.expanduser("~"))
print(socket.gethostname(), platform.node(), socket.gethostbyname(socket.gethostname()))
with tempfile.NamedTemporaryFile() as made: print(made.name.startswith("/tmp/"), os.path.exists(made.name))
os.mkdir("/mnt/v/made")
"""
    code, text = await host.output(pod, "python3", "-c", script, binds=(Bind(str(volume), "/mnt/v", read_only=False),))
    assert text.split() == ["/mnt/v", "/mnt/v", "/root", "pod-1", "pod-1", "10.244.1.2", "True", "True"]
    assert code == 0 and (volume / "made").is_dir()


async def test_every_pod_has_every_port(host: Sandboxes) -> None:
    only_with_library(host)
    first, second = await started(host, 1), await started(host, 2)
    server = (
        "import socket; s = socket.create_server(('', 29500), family=socket.AF_INET6, dualstack_ipv6=True); "
        "print('up', flush=True); c, a = s.accept(); c.send(a[0].encode()); c.recv(1)"
    )
    await host.run(second, "python3", "-c", server)
    await host.said("up", second)
    client = (
        "import socket; s = socket.create_server(('', 29500)); w = socket.create_server(('127.0.0.1', 80)); "
        f"c = socket.create_connection(('pod-2.job', 29500)); print(c.recv(99).decode(), c.getpeername()[0]); "
        "print(socket.create_connection(('localhost', 80)).getpeername()); "
        f"print(socket.gethostbyaddr(c.getpeername()[0])[0] == 'pod-2.{ZONE}', socket.getfqdn('10.244.1.3'))"
    )
    code, text = await host.output(first, "python3", "-c", client)
    assert text.splitlines() == [
        "::ffff:127.244.1.2 127.244.1.3",
        "('127.244.1.2', 10080)",
        f"True pod-2.{ZONE}",
    ]
    assert code == 0


async def test_without_the_library_names_and_addresses_are_replaced(host: Sandboxes) -> None:
    if host.client.tier.library:
        pytest.skip("is about the tier without it")
    pod = await started(host)
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "MASTER_ADDR": f"pod-2.{ZONE}",
        "MASTER_PORT": "29500",
        "PEER": "10.244.1.3",
    }
    _, text = await host.shell(pod, "echo pod-2.job:29500 $MASTER_ADDR $PEER $MASTER_PORT", environment=environment)
    said, *variables, port = text.split()
    assert (said, variables) == (f"127.244.1.3:{port}", ["127.244.1.3", "127.244.1.3"])
    assert port != "29500"


async def test_nothing_of_a_container_outlives_it(host: Sandboxes) -> None:
    pod = await started(host)
    script = "setsid sleep 4321 & (setsid env -i /bin/sleep 4322 &) ; echo $!; sleep 0.2; exit 3"
    code, _ = await host.shell(pod, script)
    assert code == 3
    assert sleeping() == []


async def test_a_killed_supervisor_takes_its_pod_along(host: Sandboxes) -> None:
    """Init, and the shim: what they held together ends with them."""
    pod = await started(host)
    for attempt, victim in enumerate(("init", "shim")):
        await host.run(pod, "sh", "-c", "setsid env -i sleep 4323 & sleep 4324", attempt=attempt)
        await until(lambda: len(sleeping()) == 2)
        status = read_status(pod)
        assert status is not None
        os.kill(status.attempts["c"][attempt].pid if victim == "init" else status.pid, signal.SIGKILL)
        await until(lambda: not sleeping())
        assert victim == "init" or not identity.is_alive(status.pid, status.start_time, status.boot_id)


async def test_a_stop_kills_after_its_grace(host: Sandboxes) -> None:
    pod = await started(host)
    await host.run(pod, "sh", "-c", "trap '' TERM; echo ready; sleep 4325; sleep 4326")
    await host.said("ready", pod)
    await host.client.stop(pod, ["c"], 0.2)
    assert (await host.ended(pod)).exit_code == 137
    assert sleeping() == []


@pytest.mark.skipif(landlock.version() < 6, reason="files are kept apart by Landlock, signals since Linux 6.12")
async def test_what_others_have_is_closed(host: Sandboxes) -> None:
    """Whoever the user is."""
    other = await started(host, 2)
    await host.run(other, "sleep", "4327", environment={"PATH": "/usr/bin:/bin", "SECRET": "hidden"})
    await until(lambda: len(sleeping()) == 1)
    pod = await started(host, 1)
    state, victim = host.directory, sleeping()[0]
    script = f"""
import os, socket
def got(work):
    try: return work() or True
    except OSError: return ""
print([name for name, work in dict(
    state=lambda: open("{state}/zygote.json").read(),
    files=lambda: os.listdir("{other}/files/etc"),
    environment=lambda: open("/proc/{victim}/environ").read(),
    memory=lambda: open("/proc/{victim}/mem", "rb"),
    kill=lambda: os.kill({victim}, 0),
    etc=lambda: open("/etc/made-by-a-pod", "w"),
    shadow=lambda: open("/etc/shadow").read(),
).items() if got(work)])
s = socket.socket(socket.AF_UNIX); s.connect("{state}/zygote.sock")
try: s.send(b'{{"op": "ping"}}\\n'); print(s.recv(9))
except ConnectionError: print(b"")
"""
    (pod / "script.py").write_text(script)
    masked = (str(state), "/etc/shadow")
    binds = (Bind(str(pod / "script.py"), "/script.py"),)
    code, text = await host.output(pod, "python3", "/script.py", binds=binds, masked=masked)
    assert (code, text) == (0, "[]\nb''\n")


def sleeping() -> list[int]:
    """Processes that a test's pods have started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if b"sleep\x00432" in path.read_bytes():
                found.append(int(path.parent.name))
    return found


async def test_two_engines_cannot_have_the_same_addresses(host: Sandboxes, tmp_path: Path) -> None:
    (tmp_path / "shm").mkdir()
    with pytest.raises(SandboxUnavailable) as refused:
        SandboxClient(tmp_path, wanted=Choice.HOST).start_zygote()
    assert "pods of another engine use the addresses 127.244.0.0/16" in refused.value.cause
