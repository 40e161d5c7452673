"""A real engine in a folder of its own, driven by the real command line and the real kubectl."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SIDINGS = (sys.executable, "-m", "sidings")
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


class Machine:
    """A user at a terminal: a home folder, an environment, commands. An engine may or may not run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.environ = {**os.environ, "PATH": PATH, "SIDINGS_HOME": str(self.home), "HOME": str(folder)}
        self.environ.pop("KUBECONFIG", None)

    def sidings(self, *words: str, stdin: str = "", timeout: float = 120) -> subprocess.CompletedProcess[str]:
        return self._run((*SIDINGS, *words), stdin, timeout)

    def ok(self, *words: str, stdin: str = "", timeout: float = 120) -> str:
        """stdout of a command that must succeed."""
        done = self.sidings(*words, stdin=stdin, timeout=timeout)
        assert done.returncode == 0, f"sidings {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def start(self, *words: str, stdin: str = "") -> subprocess.Popen[str]:
        """A command that goes on while the test does something else; its manifest on stdin is already written."""
        process = subprocess.Popen(
            (*SIDINGS, *words),
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

    def kubectl(self, *words: str, stdin: str = "", timeout: float = 120) -> str:
        done = self._run(("kubectl", f"--kubeconfig={self.home}/kubeconfig", *words), stdin, timeout)
        assert done.returncode == 0, f"kubectl {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def objects(self, kind: str, *words: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.kubectl("get", kind, "-A", "-o", "json", *words))["items"]
        return found

    def engine_pid(self) -> int:
        return int(json.loads((self.home / "engine.json").read_text())["pid"])

    def _run(self, command: tuple[str, ...], stdin: str, timeout: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environ, input=stdin, capture_output=True, text=True, timeout=timeout
        )

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
        return found + [
            f"control group {path}" for path in Path("/sys/fs/cgroup").glob("**/*sidings*") if path.is_dir()
        ]


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


def wait_for(met: Callable[[], bool], seconds: float = 60) -> None:
    """Poll a real engine; only here, where there is no virtual time."""
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Nothing runs yet; whatever the test started is stopped afterwards."""
    it = Machine(tmp_path)
    yield it
    it.sidings("down", "--force")
