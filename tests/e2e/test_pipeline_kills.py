"""The fraud pipeline while everything that can die is killed at random: it ends, and with the undisturbed result.

Pods are deleted by force, supervisors, zygote and control plane get SIGKILL; in the long run data preparation is hit as
well as training. ``KILL_SEED=...`` repeats a choice of victims (not the kernel's timing).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sidings.node.sandbox import identity
from tests.e2e.machine import Machine, edited, wait_for

pytestmark = pytest.mark.e2e

EXAMPLE = Path(__file__).parents[2] / "examples" / "fraud-detection"
NAMESPACE, NAME = "fraud", "fraud-detection"
POD, SUPERVISOR, ZYGOTE, CONTROL_PLANE = "pod", "supervisor", "zygote", "control plane"
LONGEST_RUN = 3600.0
WEIGHTS = {POD: 2, SUPERVISOR: 2, ZYGOTE: 1, CONTROL_PLANE: 2}


class Pipeline:
    """The example as it stands, but for its size, more checkpoints, and restarts without a limit."""

    def __init__(self, machine: Machine, folder: Path, cards: int) -> None:
        self._machine = machine
        shutil.copytree(EXAMPLE, folder)
        manifest = folder / "pipeline.yaml"
        text = manifest.read_text()
        text = edited(text, "maxRestarts: 3", "maxRestarts: 1000")
        text = edited(text, "action: FailJobSet", "action: RestartJobSet")
        text = edited(text, "--data-dir=/work/data]", f"--data-dir=/work/data, --cards={cards}]")
        text = edited(text, "- --checkpoint-dir=", f"- --cards={cards}\n                    - --checkpoint-dir=")
        text = edited(text, "- --checkpoint-dir=", "- --checkpoint-every=25\n                    - --checkpoint-dir=")
        manifest.write_text(text)
        self._folder = folder

    def apply(self) -> None:
        self._machine.kubectl("apply", "-k", str(self._folder))

    def status(self) -> dict[str, Any]:
        return dict(self._machine.object("jobset", NAME, NAMESPACE).get("status") or {})

    def has_ended(self) -> bool:
        return bool(self.status().get("terminalState"))

    def result(self) -> dict[str, Any]:
        """What rank 0 printed last."""
        assert self.status()["terminalState"] == "Completed"
        ranks = "jobset.sigs.k8s.io/replicatedjob-name=training,batch.kubernetes.io/job-completion-index=0"
        lines = self._machine.kubectl("logs", "-n", NAMESPACE, "-l", ranks, "--tail=-1").splitlines()
        found: dict[str, Any] = json.loads([line for line in lines if line.startswith("{")][-1])
        return {name: found[name] for name in ("auc", "ap", "rows")}

    def delete(self) -> None:
        self._machine.kubectl("delete", "jobset", NAME, "-n", NAMESPACE, "--cascade=foreground")
        wait_for(lambda: not self._machine.objects("persistentvolumes"))


class Killer:
    """Kills one thing at a time."""

    def __init__(self, machine: Machine, seed: int) -> None:
        self._machine = machine
        self._rng = random.Random(seed)
        self.killed: Counter[str] = Counter()

    def strike(self) -> None:
        victim = self._rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        if victim == POD:
            self._delete_a_pod()
        elif victim == CONTROL_PLANE:
            self._kill(victim, self._machine.engine_pid())
            self._machine.ok("up")
        else:
            nodes = self._machine.home / "nodes"
            notes = [nodes / "zygote.json"] if victim == ZYGOTE else sorted((nodes / "pods").glob("*/status.json"))
            if living := [pid for note in notes if (pid := _living(note))]:
                self._kill(victim, self._rng.choice(living))

    def _delete_a_pod(self) -> None:
        pods = [pod for pod in self._machine.objects("pods") if pod["status"].get("phase") == "Running"]
        if pods:
            name = self._rng.choice(sorted(pod["metadata"]["name"] for pod in pods))
            done = self._machine.try_kubectl("delete", "pod", name, "-n", NAMESPACE, "--force", "--grace-period=0")
            self.killed[POD] += done.returncode == 0

    def _kill(self, victim: str, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.killed[victim] += 1


def _living(note: Path) -> int:
    try:
        known = json.loads(note.read_text())
    except FileNotFoundError:
        return 0
    return int(known["pid"]) if identity.is_alive(known["pid"], known["start_time"], known["boot_id"]) else 0


def compare(machine: Machine, folder: Path, *, kills: int, cards: int, pause: float) -> None:
    """One run undisturbed, one with ``kills``, ``pause`` seconds between two of them on average."""
    seed = int(os.environ.get("KILL_SEED") or random.SystemRandom().randrange(1, 2**31))
    print(f"KILL_SEED={seed}", flush=True)
    rng = random.Random(seed)
    machine.ok("up", "--nodes", "2", "--gpus-per-node", "1", "--simulate-gpus")
    pipeline, killer = Pipeline(machine, folder / "example", cards), Killer(machine, seed)
    pipeline.apply()
    wait_for(pipeline.has_ended, LONGEST_RUN)
    undisturbed = pipeline.result()
    pipeline.delete()
    began = time.monotonic()
    pipeline.apply()
    while killer.killed.total() < kills:
        time.sleep(rng.uniform(0, 2 * pause))
        if pipeline.has_ended():  # faster than the killer: once more
            assert pipeline.result() == undisturbed
            pipeline.delete()
            pipeline.apply()
        killer.strike()
    wait_for(pipeline.has_ended, LONGEST_RUN)
    restarts = pipeline.status()["restarts"]
    print(f"{dict(killer.killed)}, {restarts} restarts, {time.monotonic() - began:.0f} s, {pipeline.result()}")
    assert pipeline.result() == undisturbed
    assert "FirstFailure" in machine.reasons("JobSet", NAME) or not restarts


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_thirty_kills_change_nothing(machine: Machine, tmp_path: Path) -> None:
    compare(machine, tmp_path, kills=30, cards=1000, pause=6.0)
