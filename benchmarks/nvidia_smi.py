"""What ``nvidia-smi`` says of this machine; nothing on one that lacks it."""

from __future__ import annotations

import subprocess


def count() -> int:
    """GPUs of this machine."""
    return _run("-L").count("GPU ")


def memory_used() -> list[int]:
    """MiB in use on each GPU."""
    return [int(line) for line in _run("--query-gpu=memory.used", "--format=csv,noheader,nounits").split()]


def _run(*options: str) -> str:
    """Its output; empty where there is no such program."""
    try:
        return subprocess.run(["nvidia-smi", *options], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""
