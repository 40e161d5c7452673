"""An engine in a folder of its own for a benchmark, and kubectl pointed at it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent


class Engine:
    """``with Engine("--nodes", "2") as engine``: started by the real command, taken down at the end."""

    def __init__(self, *options: str, **environment: str) -> None:
        """``environment``: variables of its own, for the engine and all commands."""
        self.options = options
        self.home = Path(tempfile.mkdtemp(prefix="sidings-bench-"))
        self.environment = os.environ | {
            "SIDINGS_HOME": str(self.home / "state"),
            "KUBECONFIG": str(self.home / "state" / "kubeconfig"),
            "KUBECACHEDIR": str(self.home / "cache"),
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            **environment,
        }

    def __enter__(self) -> Engine:
        self.sidings("up", *self.options)
        return self

    def __exit__(self, *exc: object) -> None:
        self.sidings("down", "--force")
        shutil.rmtree(self.home, ignore_errors=True)

    def sidings(self, *args: str) -> str:
        return self._run(sys.executable, "-m", "sidings", *args)

    def kubectl(self, *args: str, stdin: str = "") -> str:
        return self._run(shutil.which("kubectl") or "kubectl", *args, stdin=stdin)

    def get(self, *args: str) -> Any:
        return json.loads(self.kubectl("get", *args, "-o", "json"))

    def _run(self, *command: str, stdin: str = "") -> str:
        done = subprocess.run(command, env=self.environment, text=True, input=stdin, capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout


def verdict_in(log: str) -> dict[str, Any]:
    """The JSON object that the fraud scripts end their log with. StopIteration where there is none."""
    found: dict[str, Any] = next(json.loads(line) for line in reversed(log.splitlines()) if line.startswith('{"'))
    return found


def timed(work: Any, *args: Any) -> float:
    """Seconds that ``work(*args)`` takes."""
    began = time.perf_counter()
    work(*args)
    return time.perf_counter() - began
