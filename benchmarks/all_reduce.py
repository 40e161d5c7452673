"""A two-node all-reduce as a TrainJob, from apply to Complete, against two bare torchruns started together.

    python benchmarks/all_reduce.py [--runs 5]

Both sides run the same script with the same environment of this machine, alternately, so that a busy moment hits both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import textwrap
from pathlib import Path

from engine import BIN, Engine, timed

SCRIPT = """\
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
value = torch.tensor([float(dist.get_rank())])
dist.all_reduce(value)
assert value.item() == 1.0
dist.destroy_process_group()
"""

MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: allreduce}
data:
  train.py: |
SCRIPT
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: allreduce}
spec:
  runtimeRef: {name: torch-distributed}
  trainer:
    command: [torchrun, /scripts/train.py]
    numNodes: 2
    numProcPerNode: 1
  runtimePatches:
    - manager: example.com/benchmark
      trainingRuntimeSpec:
        template:
          spec:
            replicatedJobs:
              - name: node
                template:
                  spec:
                    template:
                      spec:
                        volumes: [{name: scripts, configMap: {name: allreduce}}]
                        containers:
                          - name: node
                            volumeMounts: [{name: scripts, mountPath: /scripts}]
""".replace("SCRIPT\n", textwrap.indent(SCRIPT, "    "))


def as_train_job(engine: Engine) -> None:
    engine.kubectl("apply", "-f", "-", stdin=MANIFEST)
    engine.kubectl("wait", "--for=condition=Complete", "trainjob/allreduce", "--timeout=120s")


def bare(script: Path, port: int) -> None:
    """Two torchruns of one process each, as two machines would start them."""
    processes = [
        subprocess.Popen(
            [
                str(BIN / "torchrun"), "--nnodes=2", "--nproc-per-node=1", f"--node-rank={rank}",
                "--master-addr=127.0.0.1", f"--master-port={port}", str(script),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        for rank in (0, 1)
    ]  # fmt: skip
    codes = [process.wait(120) for process in processes]
    if any(codes):
        raise SystemExit("a bare torchrun failed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    ours, theirs = [], []
    with Engine("--nodes", "2") as engine, tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "train.py"
        script.write_text(SCRIPT)
        for run in range(args.runs):
            theirs.append(timed(bare, script, 29500 + run))
            ours.append(timed(as_train_job, engine))
            engine.kubectl("delete", "trainjob", "allreduce", "--wait")
    mine, other = statistics.median(ours), statistics.median(theirs)
    print(f"TrainJob, apply to Complete: median {mine:.2f} s of {', '.join(f'{t:.2f}' for t in ours)}")
    print(f"two bare torchruns:          median {other:.2f} s of {', '.join(f'{t:.2f}' for t in theirs)}")
    print(f"ratio {mine / other:.2f}")


if __name__ == "__main__":
    main()
