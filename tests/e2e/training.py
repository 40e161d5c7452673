"""A training job that can be watched and told when to stop: real torchrun, steps of one all-reduce, a checkpoint each.

It shares a folder with the test: ``step`` is its checkpoint, and it trains until ``enough`` is there.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

SCRIPT = """\
import os, pathlib, time
import torch, torch.distributed as dist

folder = pathlib.Path("/shared")
checkpoint = folder / "step"
dist.init_process_group("gloo")
rank = dist.get_rank()
step = int(checkpoint.read_text()) if checkpoint.exists() else 0
print(f"rank {rank} of {dist.get_world_size()} starts after step {step}", flush=True)
while True:
    enough = torch.tensor([float((folder / "enough").exists())])
    dist.all_reduce(enough)
    if enough:
        break
    step += 1
    print(f"step {step}", flush=True)
    if rank == 0:
        (folder / "new").write_text(str(step))
        (folder / "new").replace(checkpoint)
    time.sleep(0.05)
print(f"rank {rank} has trained {step} steps", flush=True)
dist.destroy_process_group()
"""


class Training:
    """The test's side of the shared folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def manifest(self, name: str, nodes: int = 2) -> str:
        """A TrainJob ``name`` in the default namespace, one process a node."""
        text = textwrap.dedent(f"""\
            apiVersion: trainer.kubeflow.org/v1alpha1
            kind: TrainJob
            metadata: {{name: {name}}}
            spec:
              runtimeRef: {{name: torch-distributed}}
              trainer: {{command: [torchrun, /scripts/train.py], numNodes: {nodes}, numProcPerNode: 1}}
              runtimePatches:
              - manager: example.com/test
                trainingRuntimeSpec:
                  template:
                    spec:
                      replicatedJobs:
                      - name: node
                        template:
                          spec:
                            template:
                              spec:
                                volumes:
                                - {{name: scripts, configMap: {{name: {name}}}}}
                                - {{name: shared, hostPath: {{path: {self.folder}}}}}
                                containers:
                                - name: node
                                  volumeMounts:
                                  - {{name: scripts, mountPath: /scripts}}
                                  - {{name: shared, mountPath: /shared}}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {{name: {name}}}
            data:
              train.py: |
            """)
        return text + textwrap.indent(SCRIPT, "    ")

    @property
    def step(self) -> int:
        """The last step that was trained; 0 before the first."""
        try:
            return int((self.folder / "step").read_text())
        except FileNotFoundError:
            return 0

    def end(self) -> None:
        (self.folder / "enough").touch()
