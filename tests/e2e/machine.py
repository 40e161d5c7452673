"""A user at a terminal of this machine: the real command line, the real kubectl, an engine in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sidings.node.limits import enforcement

SIDINGS = (sys.executable, "-m", "sidings")
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
MANIFESTS = Path(__file__).parent / "manifests"
"""What users of the stack write, as they write it: nothing in these files was made for this engine."""
POC = "distributed-poc"
"""The namespace that those manifests make."""

Done = subprocess.CompletedProcess[str]


class Machine:
    """A home folder, an environment, commands. An engine may or may not run."""

    def __init__(self, folder: Path, home: Path | None = None, *, run_by: Sequence[str] = ()) -> None:
        """``run_by`` is put before every command, to run it as somebody else."""
        self.folder = folder
        self.home = home or folder / "home"
        self.environ = {**os.environ, "PATH": PATH, "SIDINGS_HOME": str(self.home), "HOME": str(folder)}
        self.environ.pop("KUBECONFIG", None)
        self.run_by = tuple(run_by)

    # sidings

    def sidings(self, *words: str, stdin: str = "", timeout: float = 120) -> Done:
        return self._run((*SIDINGS, *words), stdin, timeout)

    def ok(self, *words: str, stdin: str = "", timeout: float = 120) -> str:
        """stdout of a command that must succeed."""
        done = self.sidings(*words, stdin=stdin, timeout=timeout)
        assert done.returncode == 0, f"sidings {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def start(self, *words: str, stdin: str = "") -> subprocess.Popen[str]:
        """A command that goes on while the test does something else; its manifest on stdin is already written."""
        return self._start((*SIDINGS, *words), stdin)

    # kubectl

    def try_kubectl(self, *words: str, stdin: str = "", timeout: float = 120) -> Done:
        return self._run(self._kubectl(words), stdin, timeout)

    def kubectl(self, *words: str, stdin: str = "", timeout: float = 120) -> str:
        """stdout of a command that must succeed."""
        done = self.try_kubectl(*words, stdin=stdin, timeout=timeout)
        assert done.returncode == 0, f"kubectl {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def refused(self, *words: str, stdin: str = "") -> str:
        """stderr of a command that must fail."""
        done = self.try_kubectl(*words, stdin=stdin)
        assert done.returncode != 0, f"kubectl {' '.join(words)} succeeded:\n{done.stdout}{done.stderr}"
        return done.stderr

    def start_kubectl(self, *words: str, stdin: str = "") -> subprocess.Popen[str]:
        return self._start(self._kubectl(words), stdin)

    def apply(self, manifest: str) -> None:
        self.kubectl("apply", "-f", "-", stdin=manifest)

    def wait_for_condition(self, condition: str, *what: str, seconds: int = 180) -> None:
        """`kubectl wait`, which looks at the object's conditions."""
        self.kubectl("wait", f"--for=condition={condition}", f"--timeout={seconds}s", *what, timeout=seconds + 30)

    def objects(self, kind: str, *words: str) -> list[dict[str, Any]]:
        """All objects of a kind, or in all namespaces those that ``words`` select."""
        found: list[dict[str, Any]] = json.loads(self.kubectl("get", kind, "-A", "-o", "json", *words))["items"]
        return found

    def object(self, kind: str, name: str, namespace: str = "default") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.kubectl("get", kind, name, "-n", namespace, "-o", "json"))
        return found

    def reasons(self, kind: str, name: str) -> dict[str, str]:
        """The last message of every reason among the events about an object."""
        selector = f"--field-selector=involvedObject.kind={kind},involvedObject.name={name}"
        return {event["reason"]: event["message"] for event in self.objects("events", selector)}

    def event(self, kind: str, name: str, reason: str) -> str:
        """The message of an event about an object; it may come a moment after the status that it explains."""
        wait_for(lambda: reason in self.reasons(kind, name))
        return self.reasons(kind, name)[reason]

    # The machine itself

    def engine_pid(self) -> int:
        return int(json.loads((self.home / "engine.json").read_text())["pid"])

    def leftovers(self) -> list[str]:
        """Whatever of an engine is still there: processes by command line or by mounts, interfaces, control groups.

        A pod's process says nothing of the home in its command line, but its mount namespace does.
        """
        needle = str(self.home).encode()
        found = []
        for process in Path("/proc").iterdir():
            if not process.name.isdigit() or int(process.name) == os.getpid():
                continue
            try:
                words = (process / "cmdline").read_bytes()
                mounts = (process / "mountinfo").read_bytes()
            except OSError:
                continue  # it has just ended
            if needle in words or needle in mounts:
                found.append(f"process {process.name}: {words.replace(bytes(1), b' ').decode(errors='replace')}")
        found += [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(self.home) in line]
        found += [f"interface {path.name}" for path in Path("/sys/class/net").glob("sidings*")]
        group = enforcement.group_name(self.home / "nodes")
        return found + [f"control group {path}" for path in Path("/sys/fs/cgroup").glob(f"**/{group}")]

    def _kubectl(self, words: tuple[str, ...]) -> tuple[str, ...]:
        return ("kubectl", f"--kubeconfig={self.home}/kubeconfig", *words)

    def _run(self, command: tuple[str, ...], stdin: str, timeout: float) -> Done:
        return subprocess.run(
            (*self.run_by, *command),
            cwd=self.folder,
            env=self.environ,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def _start(self, command: tuple[str, ...], stdin: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            (*self.run_by, *command),
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(stdin)
        process.stdin.close()
        process.stdin = None
        return process


def manifest(name: str) -> str:
    """The text of a manifest as users write it."""
    return (MANIFESTS / f"{name}.yaml").read_text()


def edited(text: str, old: str, new: str) -> str:
    """``text`` with ``old``, which must be there, replaced."""
    assert old in text
    return text.replace(old, new)


def job_set(name: str, command: str, *, pods: int = 1) -> str:
    """A JobSet of one part ``main``, whose pods run ``command`` in a shell, without any retry."""
    return textwrap.dedent(f"""\
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {{name: {name}}}
        spec:
          replicatedJobs:
          - name: main
            template:
              spec:
                parallelism: {pods}
                completions: {pods}
                backoffLimit: 0
                template:
                  spec:
                    restartPolicy: Never
                    terminationGracePeriodSeconds: 2
                    containers:
                    - {{name: main, image: python, command: [/bin/sh, -c, {command!r}]}}
        """)


UNTIL_TOLD = "until [ -e /tmp/told ]; do sleep 0.1; done"
"""What a container runs in a shell until it is ``tell``'ed to go on: however long this machine needs before that."""


def tell(machine: Machine, name: str) -> None:
    """Let the pod ``name`` go on."""
    machine.kubectl("exec", name, "--", "touch", "/tmp/told")


def pod(name: str, command: str | Sequence[str], *, container: Mapping[str, Any] | None = None, **spec: Any) -> str:
    """A Pod whose one container runs a command (a string: in a shell) once; more fields of both on top."""
    argv = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
    main = {"name": "main", "image": "python", "command": argv, **(container or {})}
    fields = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 2, "containers": [main], **spec}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": fields})


def wait_for(met: Callable[[], bool], seconds: float = 180) -> None:
    """Poll a real engine; only here, where there is no virtual time. A machine that is busy takes long."""
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)
