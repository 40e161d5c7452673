"""Starting, ending and stopping containers, and what is recorded of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import pytest

from sidings.clock import SystemClock
from sidings.node import shutdown
from sidings.node.errors import SandboxFailed
from sidings.node.sandbox import syscalls
from sidings.node.sandbox.client import is_alive, read_status
from tests.node.sandboxes import Sandboxes
from tests.node.waiting import until


@pytest.mark.parametrize(
    ("script", "code", "number"),
    [("exit 0", 0, 0), ("exit 3", 3, 0), ("kill -TERM $$", 143, 15), ("kill -9 $$", 137, 9)],
)
async def test_ends_are_recorded(sandbox: Sandboxes, script: str, code: int, number: int) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "sh", "-c", script)
    ended = await sandbox.ended(pod)
    assert (ended.exit_code, ended.signal, ended.reason) == (code, number, "Completed" if code == 0 else "Error")
    assert ended.finished_at is not None and ended.finished_at >= ended.started_at


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (["no-such-command"], 127, 'exec: "no-such-command": executable file not found in $PATH'),
        (["/no/such"], 127, 'exec: "/no/such": no such file or directory'),
        (["/etc/passwd"], 126, 'exec: "/etc/passwd": permission denied'),
        (["/usr"], 126, 'exec: "/usr": permission denied'),
    ],
)
async def test_a_command_that_cannot_start_says_so(
    sandbox: Sandboxes, argv: list[str], code: int, message: str
) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, *argv)
    ended = await sandbox.ended(pod)
    assert (ended.exit_code, ended.reason, ended.message) == (code, "StartError", message)


async def test_output_of_both_streams_is_complete(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    _, text = await sandbox.shell(pod, "seq 1 20000; echo oops >&2; printf end")
    lines = text.splitlines()
    assert [line for line in lines if line.isdigit()] == [str(number) for number in range(1, 20001)]
    assert "oops" in lines and lines[-1] == "end"


async def test_the_pod_has_its_name_address_and_identity(sandbox: Sandboxes) -> None:
    """Failure mode 8 of the prototype: a pod's own name leads to its own address, or gloo takes loopback."""
    pod = await sandbox.start_pod()
    code, text = await sandbox.shell(
        pod,
        "hostname; id -u; getent hosts pod-1; grep CapEff /proc/self/status; cat /sys/class/net/eth0/mtu",
    )
    assert code == 0
    assert text.split() == ["pod-1", "0", "10.244.1.2", "pod-1", "CapEff:", "00000000a00425fb", "65520"]


async def test_pods_reach_each_other_on_the_same_port(sandbox: Sandboxes) -> None:
    """Failure mode 8 of the prototype: every pod has every port."""
    server = "import socket; s=socket.create_server(('',29500)); print('up',flush=True); s.accept()[0].send(b'%d')"
    caller = "import socket; c=socket.create_connection(('10.244.1.%d',29500)); print(c.recv(9).decode())"
    pods = [await sandbox.start_pod(number) for number in (1, 2, 3)]
    for number, pod in enumerate(pods[:2], 1):
        await sandbox.run(pod, "python3", "-c", server % number, name="server")
        await sandbox.said("up", pod, "server")
    for number in (1, 2):
        assert await sandbox.output(pods[2], "python3", "-c", caller % (number + 1), attempt=number) == (
            0,
            f"{number}\n",
        )


async def test_when_the_main_process_ends_everything_of_the_container_is_gone(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    marker = f"sleep 98{os.getpid()}"
    await sandbox.shell(pod, f"setsid {marker} & setsid setsid {marker} & sleep 0.05; echo done")
    assert not _processes(marker)


async def test_a_stop_asks_the_whole_group_first(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "sh", "-c", "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done")
    await sandbox.said("ready", pod)
    await sandbox.client.stop(pod, ["c"], 20)
    assert (await sandbox.ended(pod)).exit_code == 7
    assert sandbox.log(pod).endswith("bye\n")


async def test_who_ignores_the_signal_is_killed_with_all_its_children(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    marker = f"sleep 97{os.getpid()}"
    await sandbox.run(pod, "sh", "-c", f"trap '' TERM; setsid {marker} & echo ready; while :; do sleep 1; done")
    await sandbox.said("ready", pod)
    await sandbox.client.stop(pod, ["c"], 0.2)
    ended = await sandbox.ended(pod)
    assert (ended.exit_code, ended.signal) == (137, 9)
    assert 0.1 < (ended.finished_at or 0) - ended.started_at < 5
    assert not _processes(marker)


async def test_a_main_process_that_went_by_itself_keeps_its_exit_code(sandbox: Sandboxes) -> None:
    """Its children take their grace; that they are killed in the end is not its failure."""
    pod = await sandbox.start_pod()
    await sandbox.run(
        pod,
        "sh",
        "-c",
        "trap 'exit 0' TERM; (trap '' TERM; setsid sleep 60) & echo ready; while :; do sleep 0.05; done",
    )
    await sandbox.said("ready", pod)
    await sandbox.client.stop(pod, ["c"], 0.3)
    assert (await sandbox.ended(pod)).exit_code == 0


async def test_no_grace_kills_at_once(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "sleep", "60")
    await sandbox.client.stop(pod, ["c"], 0)
    assert (await sandbox.ended(pod)).exit_code == 137


async def test_termination_message_comes_from_its_file_or_the_log(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.shell(pod, "echo why > /dev/termination-log; exit 1")
    assert (await sandbox.ended(pod)).message == "why\n"
    await sandbox.shell(pod, "echo why > /my/message; exit 1", name="own", termination_log="/my/message")
    assert (await sandbox.ended(pod, "own")).message == "why\n"
    await sandbox.shell(pod, "echo last words; exit 1", name="log", message_from_log=True)
    assert (await sandbox.ended(pod, "log")).message == "last words\n"
    await sandbox.shell(pod, "echo fine", name="fine", message_from_log=True)
    assert (await sandbox.ended(pod, "fine")).message == ""


async def test_attempts_follow_each_other_and_one_runs_at_a_time(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.shell(pod, "exit 1")
    await sandbox.run(pod, "sleep", "60", attempt=1)
    with pytest.raises(SandboxFailed, match="already runs"):
        await sandbox.run(pod, "true", attempt=2)
    assert [(known.number, known.exit_code) for known in sandbox.attempts(pod)] == [(0, 1), (1, None)]


async def test_a_shim_that_is_killed_takes_its_containers_along(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    marker = f"sleep 96{os.getpid()}"
    await sandbox.run(pod, "sh", "-c", f"setsid {marker} & exec {marker}")
    status = read_status(pod)
    assert status is not None and is_alive(status)
    os.kill(status.pid, signal.SIGKILL)
    await until(lambda: not _processes(marker) and not is_alive(status))
    assert sandbox.attempts(pod)[0].running, "nobody was left to record it"


async def test_leaving_ends_what_runs_and_records_it(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "sleep", "60")
    await sandbox.client.leave(pod)
    assert sandbox.attempts(pod)[0].exit_code == 137
    await sandbox.client.leave(pod)  # again is no error


async def test_state_may_lie_deeper_than_a_socket_address_is_long(state_dir: Path) -> None:
    """Failure mode 7 of the prototype: an address of a unix socket holds 107 bytes."""
    deep = state_dir / ("d" * 60) / ("e" * 60)
    sandboxes = Sandboxes(deep, as_user=os.geteuid() != 0)
    try:
        sandboxes.start_zygote()
        pod = await sandboxes.start_pod()
        assert await sandboxes.shell(pod, "echo hi") == (0, "hi\n")
    finally:
        await sandboxes.close()


def _processes(command: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            text = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        if text == command:
            found.append(process.name)
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a small disk")
async def test_a_full_disk_ends_no_pod_and_its_end_is_recorded_when_there_is_room(state_dir: Path) -> None:
    state_dir.mkdir()
    syscalls.mount("tmpfs", str(state_dir), "tmpfs", options="size=4m,mode=0755")
    sandboxes = Sandboxes(state_dir, as_user=False)
    try:
        sandboxes.start_zygote()
        pod = await sandboxes.start_pod()
        await sandboxes.run(pod, "sh", "-c", "echo ready; exec sleep 60", name="c")
        await sandboxes.said("ready", pod)
        filler = state_dir / "filler"
        with contextlib.suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(b"x" * 65536)
        await sandboxes.client.stop(pod, ["c"], 5)
        assert (await sandboxes.ended(pod)).exit_code == 143
        assert sandboxes.attempts(pod)[0].running, "there was no room to write it down"
        filler.unlink()
        await until(lambda: not sandboxes.attempts(pod)[0].running)
    finally:
        await shutdown.stop_sandboxes(sandboxes.client, SystemClock())
        syscalls.unmount(str(state_dir))


async def test_a_socket_of_the_pod_connects_inside_its_network(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    server = """import socket
listener = socket.create_server(("127.0.0.1", 7000))
print("up", flush=True)
listener.accept()[0].send(b"in")"""
    await sandbox.run(pod, "python3", "-c", server)
    await sandbox.said("up", pod)
    made = await sandbox.client.new_socket(pod)
    with made:
        await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", 7000))
        assert await asyncio.get_running_loop().sock_recv(made, 10) == b"in"
