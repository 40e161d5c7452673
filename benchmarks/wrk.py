"""wrk as the load: a C program that is never the bottleneck, with what it says as numbers.

apt-get install wrk
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

THREADS = 1
_UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 60e3}
_POST = """\
local number = 0
local body = [==[%s]==]
function request()
  number = number + 1
  return wrk.format("POST", nil, nil, (body:gsub("NUMBER", number)))
end
"""


@dataclass(frozen=True)
class Load:
    """What came of a run: answers a second, and after how many milliseconds 50 and 99 % of them had come."""

    rate: float
    p50: float
    p99: float


def available() -> bool:
    return shutil.which("wrk") is not None


def get(url: str, token: str, *, connections: int, seconds: float) -> Load:
    return _run(url, token, connections, seconds)


def post(url: str, token: str, body: Any, *, connections: int, seconds: float) -> Load:
    """``NUMBER`` in ``body`` is another one in every request."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(_POST % json.dumps(body))
        script.flush()
        return _run(url, token, connections, seconds, "--script", script.name, "-H", "Content-Type: application/json")


def _run(url: str, token: str, connections: int, seconds: float, *options: str) -> Load:
    """Raises SystemExit where an answer was no success."""
    done = subprocess.run(
        [
            "wrk", f"-t{THREADS}", f"-c{connections}", f"-d{seconds:.0f}s", "--latency", "--timeout", "20s",
            "-H", f"Authorization: Bearer {token}", *options, url,
        ],
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise SystemExit(f"{Path(url).name}: {done.stdout}")
    rate = re.search(r"Requests/sec: +([\d.]+)", done.stdout)
    assert rate is not None, done.stdout
    return Load(float(rate[1]), _latency(done.stdout, 50), _latency(done.stdout, 99))


def _latency(text: str, percent: int) -> float:
    found = re.search(rf"^ +{percent}% +([\d.]+)(us|ms|s|m)$", text, re.MULTILINE)
    assert found is not None, text
    return float(found[1]) * _UNITS[found[2]]
