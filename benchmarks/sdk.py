"""From ``TrainerClient.train`` to the first line of the user's function on two nodes, beside what else runs it here.

    SIDINGS_CLIENTS_PYTHON=~/clients/bin/python python benchmarks/sdk.py [--runs 5] [--local]

The interpreter has `kubeflow` and, for its line, `torchx`. All start the same function with the same torch; the clock
runs from the call, imports done, until the slowest node has reached its first line. The SDK's own LocalProcess backend
(``--local``) knows one node only and makes an environment for each job; torch has to be installed into it from the
package index, because 0.5 starts torchrun there and installs nothing unless it is asked to.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from engine import BIN, Engine

CLIENTS = os.environ.get("SIDINGS_CLIENTS_PYTHON", sys.executable)

FUNCTION = """\
def train():
    import os, time
    print("first line", time.time(), "of", os.environ.get("PET_NNODES", "1"), flush=True)
"""
SDK = (
    """\
import sys, time
from kubeflow.trainer import CustomTrainer, LocalProcessBackendConfig, TrainerClient

"""
    + FUNCTION
    + """
local = sys.argv[1] == "local"
client = TrainerClient(backend_config=LocalProcessBackendConfig()) if local else TrainerClient()
runtime = client.get_runtime("torch-distributed")
began = time.time()
packages = ["torch"] if local else None
job = client.train(
    runtime=runtime, trainer=CustomTrainer(func=train, num_nodes=1 if local else 2, packages_to_install=packages)
)
done = client.wait_for_job_status(job, status={"Complete", "Failed"}, timeout=900, polling_interval=1)
assert done.status == "Complete", list(client.get_job_logs(job))
steps = [step.name for step in client.get_job(job).steps if step.name.startswith(("node", "train"))]
lines = [line for step in steps for line in client.get_job_logs(job, step=step) if line.startswith("first line")]
print(max(float(line.split()[2]) for line in lines) - began)
client.delete_job(job)
"""
)
BEGAN = "import time; print('began', time.time(), flush=True)"
TORCHX = FUNCTION + "\ntrain()\n"


def by_sdk(backend: str, environment: dict[str, str]) -> float:
    """Seconds as the SDK's ``backend`` has it."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "run.py"  # the SDK reads the function's source, so it must be in a file
        script.write_text(SDK)
        done = subprocess.run(
            [CLIENTS, str(script), backend], env=environment, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise SystemExit(f"{backend}: {done.stderr.strip()[-2000:]}")
    return float(done.stdout.split()[-1])


def by_torchx() -> float:
    """Seconds from the start of its command line."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(TORCHX)
        environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        words = ("run", "--scheduler", "local_cwd", "dist.ddp", "-j", "2x1", "--script", "train.py")
        code = f"from torchx.cli.main import main\n{BEGAN}\nmain({list(words)})"
        done = subprocess.run(
            [CLIENTS, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
    lines = (done.stdout + done.stderr).splitlines()
    times = [float(line.split("first line ")[1].split()[0]) for line in lines if "first line " in line]
    if not times:
        raise SystemExit(f"torchx: {done.stderr.strip()[-2000:]}")
    began = next(float(line.split()[1]) for line in lines if line.startswith("began "))
    return max(times) - began


def has(module: str) -> bool:
    return subprocess.run([CLIENTS, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def show(name: str, seconds: list[float]) -> None:
    print(f"{name:<58} {statistics.median(seconds):6.2f} s  ({min(seconds):.2f} to {max(seconds):.2f})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--local", action="store_true", help="the LocalProcess backend as well, once")
    options = parser.parse_args()
    if not has("kubeflow.trainer"):
        raise SystemExit(f"{CLIENTS} has no kubeflow: set SIDINGS_CLIENTS_PYTHON")
    ours: list[float] = []
    theirs: list[float] = []
    with_torchx = has("torchx")
    with Engine("--nodes", "2") as engine:
        by_sdk("kubernetes", engine.environment)  # the first finds nothing in the page cache
        for _ in range(options.runs):  # alternately, so that a busy moment hits both
            ours.append(by_sdk("kubernetes", engine.environment))
            if with_torchx:
                theirs.append(by_torchx())
    show("TrainerClient.train to the first line, 2 nodes", ours)
    if with_torchx:
        show("torchx run -s local_cwd dist.ddp -j 2x1", theirs)
    else:
        print("torchx is not installed beside the SDK")
    if options.local:
        show("TrainerClient.train, LocalProcess backend, 1 node", [by_sdk("local", dict(os.environ))])


if __name__ == "__main__":
    main()
