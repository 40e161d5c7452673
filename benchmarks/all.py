"""The figures of docs/performance.md that any machine gives: one benchmark after the other.

``gpu.py`` and ``scaling.py`` need GPUs, ``sdk.py`` needs Kubeflow's clients.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = (
    "command_line.py",
    "pods.py",
    "outbound.py",
    "sandbox.py",
    "all_reduce.py",
    "restart.py",
    "api_server.py",
    "api.py",
    "registry.py",
    "jobset.py",
    "kueue.py",
    "queue_growth.py",
    "queue_day.py",
    "train_checkpoint.py",
)


def main() -> None:
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    model = names[0].split(":")[1].strip()
    print(
        f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, Python {platform.python_version()}", flush=True
    )
    for script in SCRIPTS:
        print(f"\n== {script}", flush=True)
        subprocess.run([sys.executable, str(HERE / script)], check=True)


if __name__ == "__main__":
    main()
