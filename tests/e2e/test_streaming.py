"""Into running pods and out of them, with the real kubectl: exec, attach, cp, port-forward, run."""

import importlib.util
import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, pod, wait_for
from tests.e2e.terminal import Terminal

pytestmark = pytest.mark.e2e


@pytest.fixture
def box(cluster: Machine) -> Machine:
    """A cluster with a pod ``box`` that serves its /tmp on port 8000 of its loopback address."""
    server = "echo serving; cd /tmp; echo hello > index.html; exec python3 -m http.server 8000 --bind 127.0.0.1"
    cluster.apply(pod("box", server))
    cluster.wait_for_condition("Ready", "pod/box")
    return cluster


def _in_terminal(machine: Machine, *words: str, keys: str = "") -> tuple[int, str]:
    """Exit code and output of kubectl in a terminal, in which ``keys`` are typed."""
    command = ("kubectl", f"--kubeconfig={machine.home}/kubeconfig", *words)
    with Terminal(command, machine.environ) as terminal:
        terminal.type(keys)
        return terminal.end(), terminal.said


def test_exec(box: Machine) -> None:
    done = box.try_kubectl("exec", "box", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stdout) == (3, "out\n")
    assert done.stderr == "err\ncommand terminated with exit code 3\n"
    assert box.kubectl("exec", "-i", "box", "--", "sort", "-r", stdin="a\nb\n") == "b\na\n"
    assert box.kubectl("exec", "box", "--", "hostname") == "box\n"
    assert box.kubectl("exec", "box", "--", "cat") == ""
    missing = box.try_kubectl("exec", "box", "--", "no-such-command")
    assert missing.returncode == 1
    assert 'exec: "no-such-command": executable file not found in $PATH' in missing.stderr
    assert "container nope is not valid for pod box" in box.refused("exec", "box", "-c", "nope", "--", "true")
    assert 'pods "nobody" not found' in box.refused("exec", "nobody", "--", "true")


def test_exec_in_a_terminal(box: Machine) -> None:
    code, said = _in_terminal(box, "exec", "-it", "box", "--", "sh", "-c", "stty size; tty; exit 4")
    assert "33 111" in said
    assert "/dev/pts/" in said
    assert code == 4
    code, said = _in_terminal(box, "exec", "-it", "box", "--", "sh", keys="echo $((40 + 2))\nexit 5\n")
    assert re.search(r"\n(# )?42\r", said)
    assert code == 5


def test_a_terminal_that_changes_its_size(box: Machine) -> None:
    command = ("kubectl", f"--kubeconfig={box.home}/kubeconfig", "exec", "-it", "box", "--", "sh")
    with Terminal(command, box.environ) as terminal:
        terminal.type("stty size\n")
        terminal.read_until("33 111")
        terminal.resize(99, 44)
        terminal.type("until stty size | grep 44; do sleep 0.1; done; exit\n")
        terminal.read_until("44 99")
        assert terminal.end() == 0


def test_cp_both_ways(box: Machine, tmp_path: Path) -> None:
    content = os.urandom(3_000_000)
    (tmp_path / "there").write_bytes(content)
    box.kubectl("cp", str(tmp_path / "there"), "box:/tmp/copied")
    box.kubectl("cp", "box:/tmp/copied", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == content


@pytest.fixture
def forwarded(box: Machine) -> Iterator[int]:
    """A local port that leads to port 8000 of the pod."""
    going = box.start_kubectl("port-forward", "pod/box", ":8000")
    assert going.stdout is not None
    port = int(re.search(r"127\.0\.0\.1:(\d+) -> 8000", going.stdout.readline())[1])  # type: ignore[index]
    yield port
    going.kill()
    going.communicate()


def test_port_forward(forwarded: int) -> None:
    for _ in range(3):
        with urllib.request.urlopen(f"http://127.0.0.1:{forwarded}/index.html", timeout=60) as answer:
            assert answer.read() == b"hello\n"


def test_port_forward_survives_clients_that_leave(forwarded: int) -> None:
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", forwarded)) as leaving:
            leaving.send(b"GET / HTTP/1.1\r\n")
    with urllib.request.urlopen(f"http://127.0.0.1:{forwarded}/index.html", timeout=60) as answer:
        assert answer.read() == b"hello\n"


def test_port_forward_to_a_port_where_nobody_listens(box: Machine) -> None:
    going = box.start_kubectl("port-forward", "pod/box", ":8001")
    assert going.stdout is not None
    port = int(re.search(r"127\.0\.0\.1:(\d+) -> 8001", going.stdout.readline())[1])  # type: ignore[index]
    with socket.create_connection(("127.0.0.1", port)) as asking:
        assert asking.recv(100) == b""
    _, err = going.communicate(timeout=60)
    assert "error forwarding port 8001 to pod box" in err
    assert "connection refused" in err


def test_attach_replays_the_log_and_follows(cluster: Machine) -> None:
    cluster.apply(pod("talker", "seq 1 3; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo four"))
    cluster.wait_for_condition("Ready", "pod/talker")
    wait_for(lambda: cluster.kubectl("logs", "talker", "--tail=1") == "3\n")
    attached = cluster.start_kubectl("attach", "talker")
    assert attached.stdout is not None
    assert [attached.stdout.readline() for _ in range(3)] == ["1\n", "2\n", "3\n"]
    cluster.kubectl("exec", "talker", "--", "touch", "/tmp/go")
    assert attached.communicate(timeout=60)[0] == "four\n"
    assert attached.returncode == 0


def test_run_interactive(cluster: Machine) -> None:
    run = ("run", "--rm", "--image=python", "--restart=Never", "--quiet")
    sorted_ = cluster.try_kubectl(*run, "-i", "sorter", "--command", "--", "sort", "-r", stdin="a\nb\n")
    assert (sorted_.returncode, sorted_.stdout) == (0, "b\na\n"), sorted_.stderr
    quick = cluster.try_kubectl(*run, "--attach", "quick", "--command", "--", "sh", "-c", "echo said; exit 4")
    assert (quick.returncode, quick.stdout) == (4, "said\n"), quick.stderr
    code, said = _in_terminal(cluster, *run, "-it", "shell", "--command", "--", "sh", keys="stty size\nexit 2\n")
    assert (code, "33 111" in said) == (2, True), said
    assert cluster.objects("pods") == []


OLDER = sorted(Path("/usr/lib/google-cloud-sdk/bin").glob("kubectl.1.*"))
"""Other versions of kubectl, where the machine has some; those before 1.31 speak plain SPDY."""


@pytest.mark.skipif(not OLDER, reason="no other kubectl on this machine")
@pytest.mark.parametrize("minor", [29, 30, 31])
def test_older_clients(box: Machine, minor: int) -> None:
    [kubectl] = [path for path in OLDER if path.name == f"kubectl.1.{minor}"] or [None]
    if kubectl is None:
        pytest.skip(f"no kubectl 1.{minor} on this machine")

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = (str(kubectl), f"--kubeconfig={box.home}/kubeconfig", *words)
        return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60, env=box.environ)

    done = run("exec", "-i", "box", "--", "sh", "-c", "sort -r; echo err >&2; exit 3", stdin="a\nb\n")
    assert (done.returncode, done.stdout) == (3, "b\na\n")
    assert done.stderr == "err\ncommand terminated with exit code 3\n"
    quick = run(
        "run", "--attach", "--rm", "--quiet", "--image=x", "--restart=Never", "q", "--command", "--", "echo", "hi"
    )
    assert (quick.returncode, quick.stdout) == (0, "hi\n")
    command = (str(kubectl), f"--kubeconfig={box.home}/kubeconfig", "port-forward", "pod/box", ":8000")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=box.environ) as going:
        assert going.stdout is not None
        port = int(re.search(r"127\.0\.0\.1:(\d+) -> 8000", going.stdout.readline())[1])  # type: ignore[index]
        for _ in range(3):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/index.html", timeout=60) as answer:
                assert answer.read() == b"hello\n"
        going.kill()


def test_killed_clients_and_killed_pods_leave_nothing(box: Machine) -> None:
    going = [box.start_kubectl("exec", "box", "--", "sh", "-c", "echo on; exec sleep 4321") for _ in range(3)]
    for each in going:
        assert each.stdout is not None and each.stdout.readline() == "on\n"
        each.kill()
        each.communicate()
    left = ("exec", "box", "--", "pgrep", "-f", "sleep 432[1]")
    wait_for(lambda: box.try_kubectl(*left).returncode == 1)
    last = box.start_kubectl("exec", "box", "--", "sh", "-c", "echo on; exec sleep 4321")
    assert last.stdout is not None and last.stdout.readline() == "on\n"
    box.kubectl("delete", "pod", "box", "--now")
    last.communicate(timeout=60)
    assert last.returncode == 137


PYTHON_CLIENT = """
from kubernetes import client, config
from kubernetes.stream import portforward, stream

config.load_kube_config()
api = client.CoreV1Api()
pod = ("box", "default")
run = stream(api.connect_get_namespaced_pod_exec, *pod, command=["sh", "-c", "echo out; echo err >&2; exit 3"],
             stdout=True, stderr=True, stdin=False, tty=False, _preload_content=False)
run.run_forever(timeout=60)
assert (run.read_stdout(), run.read_stderr(), run.returncode) == ("out\\n", "err\\n", 3)
run = stream(api.connect_get_namespaced_pod_exec, *pod, command=["cat"],
             stdout=True, stderr=True, stdin=True, tty=False, _preload_content=False)
run.write_stdin("hello\\n")
assert run.readline_stdout(timeout=60) == "hello"
run.close()
connected = portforward(api.connect_get_namespaced_pod_portforward, *pod, ports="8000").socket(8000)
connected.setblocking(True)
connected.sendall(b"GET /index.html HTTP/1.0\\r\\n\\r\\n")
assert b"".join(iter(lambda: connected.recv(65536), b"")).endswith(b"hello\\n")
"""


@pytest.mark.skipif(not importlib.util.find_spec("kubernetes"), reason="needs the Python client (extra `clients`)")
def test_the_python_client(box: Machine) -> None:
    environ = {**box.environ, "KUBECONFIG": f"{box.home}/kubeconfig"}
    subprocess.run([sys.executable, "-c", PYTHON_CLIENT], env=environ, timeout=100, check=True)
