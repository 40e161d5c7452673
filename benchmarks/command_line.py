"""How soon the command line answers: help, up to ready, get.

python benchmarks/command_line.py
"""

from __future__ import annotations

import statistics
import subprocess

from engine import BIN, Engine, timed

RUNS = 11


def median_of(work: object, *args: object) -> float:
    return statistics.median(timed(work, *args) for _ in range(RUNS))


def help_text() -> None:
    subprocess.run([BIN / "sidings", "--help"], check=True, capture_output=True)


def main() -> None:
    print(f"sidings --help: median {median_of(help_text) * 1000:.0f} ms of {RUNS}")
    engine = Engine("--nodes", "2")
    print(f"sidings up, to ready: {timed(engine.__enter__):.2f} s")
    try:
        print(f"sidings get: median {median_of(engine.sidings, 'get') * 1000:.0f} ms of {RUNS}")
        print(f"kubectl get pods: median {median_of(engine.kubectl, 'get', 'pods') * 1000:.0f} ms of {RUNS}")
    finally:
        print(f"sidings down: {timed(engine.__exit__):.2f} s")


if __name__ == "__main__":
    main()
