"""A training job that can be watched and told when to stop: real torchrun, steps of one all-reduce, a checkpoint each.

It shares a folder with the test: ``step`` is its checkpoint, and it trains until ``enough`` is there. On the training
library the same is what ``sidings_train`` makes of it: a checkpoint when it is told to end, and no other.
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

ON_THE_LIBRARY = """\
import pathlib, time
import torch, sidings_train
from sidings_train import Checkpoints, Interruption, Progress, TrainState

folder = pathlib.Path("/shared")
with sidings_train.start() as world:
    torch.manual_seed(1)
    model = sidings_train.ddp(torch.nn.Linear(4, 1), world)
    state = TrainState(model, torch.optim.SGD(model.parameters(), 0.001))
    saving = Checkpoints(folder / "checkpoints", world, state)
    telling = Progress(world, state, total=100_000, checkpoints=saving, every=0.5)
    with saving as checkpoints, Interruption(world) as interruption, telling as progress:
        checkpoints.resume()
        while not world.any((folder / "enough").exists()):
            loss = (model(torch.randn(8, 4)) ** 2).mean()
            loss.backward()
            state.optimizer.step()
            state.optimizer.zero_grad()
            state.advance(16, loss)
            progress.step(16, loss)
            if world.first:
                (folder / "new").write_text(str(state.step))
                (folder / "new").replace(folder / "step")
            interruption.check(checkpoints)
            time.sleep(0.02)
        checkpoints.save()
"""


class Training:
    """The test's side of the shared folder."""

    script = SCRIPT

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
        return text + textwrap.indent(self.script, "    ")

    @property
    def step(self) -> int:
        """The last step that was trained; 0 before the first."""
        try:
            return int((self.folder / "step").read_text())
        except FileNotFoundError:
            return 0

    def end(self) -> None:
        (self.folder / "enough").touch()


class LibraryTraining(Training):
    """On the training library."""

    script = ON_THE_LIBRARY

    @property
    def saved(self) -> list[int]:
        """The steps of the checkpoints that are complete."""
        return sorted(int(path.parts[-3][5:]) for path in self.folder.glob("checkpoints/step-*/*/manifest.json"))
