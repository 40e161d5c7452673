"""From the death of a training process, or of its pod, to training again.

    python benchmarks/restart.py [TIMES]

A JobSet of two pods with ``backoffLimit: 0`` that restarts as a whole, on an engine of its own: a model of a hundred
thousand parameters on the training library, a checkpoint every tenth step. Rank 0 is killed, or its pod deleted without
grace, again and again (default: 5 times each), where each pod runs torchrun and where it runs the script itself; at
last once where the Job starts its pods again, after a back-off.
The script and the shell that starts it write down the time; what the API tells is taken as it is seen by a watch.
CPU time is told beside the clock's: other work on the machine changes the one and hardly the other.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import psutil

from engine import Engine
from sidings.api.objects import name_of
from sidings.api.resources import PODS
from sidings.client import kubeconfig
from sidings.client.http import HttpClient
from sidings.client.interface import Client
from sidings.clock import SystemClock

SCRIPT = """\
import os, time
def note(phase, value=None):
    with open("/shared/phases", "a") as file:
        file.write(f"{phase} {time.time() if value is None else value}\\n")
def parent():  # seconds of CPU; torchrun, where there is one
    user, system = open(f"/proc/{os.getppid()}/stat").read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
note("began")  # the interpreter
note("parent", parent())
import sidings_train, torch
from sidings_train import Checkpoints, FlatGradients, Interruption, TrainState
model = torch.nn.Sequential(torch.nn.Linear(200, 256), torch.nn.ReLU(), torch.nn.Linear(256, 200))
note("imported")
with sidings_train.start() as world:
    note("met")
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    state = TrainState(model, optimizer)
    gradients = FlatGradients(model, world)
    saving = Checkpoints("/shared/checkpoints", world, state, every=10)
    with saving as checkpoints, Interruption(world) as interruption:
        checkpoints.resume()
        note("resumed")
        first = True
        while True:
            gradients.zero()
            model(torch.ones(64, 200)).square().mean().backward()
            gradients.average()
            optimizer.step()
            state.advance(64)
            if first:
                note("trains")
                note("rank", time.process_time())
                first = False
            checkpoints.after_step()
            interruption.check(checkpoints)
            time.sleep(0.02)
"""
MANIFEST = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: restart}
spec:
  failurePolicy: {maxRestarts: 1000}
  replicatedJobs:
  - name: node
    template:
      spec:
        completionMode: Indexed
        parallelism: 2
        completions: 2
        backoffLimit: LIMIT
        template:
          spec:
            restartPolicy: Never
            volumes:
            - {name: shared, hostPath: {path: SHARED}}
            - {name: library, hostPath: {path: LIBRARY}}
            containers:
            - name: node
              image: python
              command:
              - sh
              - -c
              - echo started $(date +%s.%N) >> /shared/phases; exec COMMAND /shared/script.py
              env:
              - {name: PYTHONPATH, value: /library}
              - {name: OMP_NUM_THREADS, value: "1"}
              - {name: PET_NNODES, value: "2"}
              - {name: PET_NPROC_PER_NODE, value: "1"}
              - {name: PET_MASTER_ADDR, value: restart-node-0-0.restart}
              - {name: PET_MASTER_PORT, value: "29500"}
              - name: PET_NODE_RANK
                valueFrom:
                  fieldRef: {fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']"}
              volumeMounts:
              - {name: shared, mountPath: /shared}
              - {name: library, mountPath: /library}
"""
LIBRARY = Path(__file__).parents[1] / "train" / "src"
PHASES = ("started", "began", "imported", "met", "resumed", "trains")
NAMES = ("detect", "restart", "launch", "import", "rendezvous", "load", "first step")
CPU = ("rank", "parent")
RANKS = 2
LIMIT, PAUSE = 120, 0.05  # seconds


class Watched:
    """When pods were seen to have failed or to go, by the clock of the script."""

    def __init__(self) -> None:
        self.lost: list[float] = []

    async def run(self, client: Client) -> None:
        async for event in client.watch(PODS, "default"):
            if event.type == "DELETED" or event.object["status"].get("phase") == "Failed":
                self.lost.append(SystemClock().now().timestamp())


def moments(shared: Path, start: int) -> dict[str, float]:
    """Of each phase of a start, from 0, when the last rank came to it, and the most CPU; what all ranks have told."""
    came: dict[str, list[float]] = {}
    for line in (shared / "phases").read_text().splitlines():
        phase, value = line.split()
        came.setdefault(phase, []).append(float(value))
    of_start = {phase: values[start * RANKS :][:RANKS] for phase, values in came.items()}
    return {phase: max(values) for phase, values in of_start.items() if len(values) == RANKS}


async def until_trains(shared: Path, start: int) -> dict[str, float]:
    for _ in range(int(LIMIT / PAUSE)):
        if "rank" in (found := moments(shared, start)):
            return found
        await asyncio.sleep(PAUSE)
    raise SystemExit(f"start {start} does not train after {LIMIT} s: {found}")


def training() -> psutil.Process:
    """The process of rank 0: it has the script's variables, and no child that has them."""
    for process in psutil.process_iter():
        try:
            environ, words = process.environ(), process.cmdline()
        except psutil.Error:
            continue
        if environ.get("PET_NODE_RANK") == "0" and "/shared/script.py" in words and "torchrun" not in " ".join(words):
            return process
    raise SystemExit("no process of rank 0 is found")


async def measured(client: Client, shared: Path, watched: Watched, start: int, pod_too: bool) -> list[float]:
    """Seconds of each phase from ``start`` to the next, in the order of ``NAMES``; then of CPU, as ``CPU``."""
    await until_trains(shared, start)
    await asyncio.sleep(1)  # some steps and a checkpoint
    began = SystemClock().now().timestamp()
    if pod_too:
        pods = (await client.list(PODS, "default", field_selector="status.phase=Running")).items
        name = next(name_of(pod) for pod in pods if "-0-0-" in name_of(pod))
        await client.delete(PODS, name, "default", grace_period_seconds=0)
    else:
        os.kill(training().pid, signal.SIGKILL)
    came = await until_trains(shared, start + 1)
    lost = min(at for at in watched.lost if at >= began)
    times = [began, lost, *(came[phase] for phase in PHASES)]
    return [*(later - earlier for earlier, later in itertools.pairwise(times)), *(came[name] for name in CPU)]


async def run(engine: Engine, command: str, times: int, *, limit: int = 0) -> None:
    """``limit`` is the Job's for pods that it starts again; with 0 the JobSet restarts."""
    shared = Path(tempfile.mkdtemp(prefix="shared-", dir=engine.home))
    (shared / "phases").touch()
    (shared / "script.py").write_text(SCRIPT)
    manifest = MANIFEST.replace("LIMIT", str(limit)).replace("COMMAND", command)
    manifest = manifest.replace("SHARED", str(shared)).replace("LIBRARY", str(LIBRARY))
    config = kubeconfig.load([Path(engine.environment["KUBECONFIG"])], must_exist=True)
    async with HttpClient(config) as client:
        watched = Watched()
        watching = asyncio.create_task(watched.run(client))
        engine.kubectl("create", "-f", "-", stdin=manifest)
        starts = itertools.count()
        for what, pod_too in (("process killed", False), ("pod deleted", True)):
            found = [await measured(client, shared, watched, next(starts), pod_too) for _ in range(times)]
            show(f"{command}, {what}{', Job back-off' if limit else ''}", found)
        watching.cancel()
    engine.kubectl("delete", "jobset", "restart", "--wait")
    engine.kubectl("wait", "pods", "--all", "--for=delete", "--timeout=90s")


def show(title: str, found: Sequence[Sequence[float]]) -> None:
    whole = [sum(one[: len(NAMES)]) for one in found]
    medians = [statistics.median(values) for values in zip(*found, strict=True)]
    parts = (f"{name} {seconds:.2f}" for name, seconds in zip(NAMES, medians, strict=False))
    print(f"{title}: {statistics.median(whole):.2f} s ({min(whole):.2f} to {max(whole):.2f}): {', '.join(parts)}")
    rank, parent = medians[len(NAMES) :]
    print(f"    CPU of a rank until its first step {rank:.2f} s, of what started it {parent:.2f} s", flush=True)


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with Engine() as engine:
        for command in ("torchrun", "python"):
            asyncio.run(run(engine, command, times))
        asyncio.run(run(engine, "python", 1, limit=6))


if __name__ == "__main__":
    main()
