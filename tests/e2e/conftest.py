"""A real engine in a folder of its own, driven by the real command line and the real kubectl."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
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
        """Processes whose command line or environment names this home, and mounts below it."""
        found = []
        for process in Path("/proc").iterdir():
            if not process.name.isdigit() or int(process.name) == os.getpid():
                continue
            try:
                words = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if str(self.home).encode() in words:
                found.append(words.replace(b"\0", b" ").decode(errors="replace"))
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        return found + [line for line in mounts if str(self.home) in line]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Nothing runs yet; whatever the test started is stopped afterwards."""
    it = Machine(tmp_path)
    yield it
    it.sidings("down", "--force")
