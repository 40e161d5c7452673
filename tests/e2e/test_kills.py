"""Whatever dies, in whatever order: pods end as they would have ended, or say that nobody saw it.

Pods with known ends come and go while zygote, name server, proxy, supervisors and control plane are killed with
SIGKILL, also each other's successors, also while a pod is being started. ``KILL_SEED=...`` repeats a choice of victims
(not the kernel's timing).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from sidings.node.sandbox import identity
from sidings.node.status import KILLED, STATUS_UNKNOWN
from tests.e2e.machine import Machine, pod, wait_for

pytestmark = pytest.mark.e2e

CONTROL_PLANE = "control plane"
SUPERVISOR = "supervisor"
SERVANTS = {"zygote": "zygote.json", "name server": "name-server.json", "service proxy": "service-proxy.json"}
LOAD = 8
"""Pods that run or are about to, at any time."""


class Siege:
    """An engine under load, and what was killed of it."""

    def __init__(self, machine: Machine, seed: int) -> None:
        self._machine = machine
        self._rng = random.Random(seed)
        self.killed: Counter[str] = Counter()
        self.unsupervised: set[str] = set()
        """Uids of pods whose supervisor was killed."""
        self.codes: dict[str, int] = {}
        self.confirmed: set[str] = set()
        """Pods that the API server has confirmed: they must be there for ever."""
        self._applying: list[tuple[list[str], subprocess.Popen[str]]] = []

    def run(self, kills: int) -> None:
        while self.killed.total() < kills:
            self._load()
            time.sleep(self._rng.uniform(0, 0.6))
            victim = self._rng.choices((CONTROL_PLANE, SUPERVISOR, *SERVANTS), (3, 3, 2, 1, 1))[0]
            self._kill(victim)
            if victim == CONTROL_PLANE:
                while self._rng.random() < 0.5:
                    self._kill(self._rng.choice((SUPERVISOR, *SERVANTS)))
                self._machine.ok("up")
        self._collect()

    def _load(self) -> None:
        """Top up, without waiting for the answer: what comes next may hit these pods at any point of their start."""
        alive = sum(1 for _ in self._supervisors())
        names = [f"pod-{len(self.codes) + number}" for number in range(max(LOAD - alive, 1))]
        for name in names:
            self.codes[name] = self._rng.randrange(1, 100)
        process = self._machine.start_kubectl("create", "-f", "-", stdin=self._manifest(names))
        self._applying.append((names, process))
        self._collect(len(self._applying) - 4)

    def _manifest(self, names: list[str]) -> str:
        pods = []
        for name in names:
            seconds = self._rng.uniform(0.3, 3)
            script = f"echo begin {name}; sleep {seconds:.2f}; echo end {name}; exit {self.codes[name]}"
            pods.append(pod(name, script))
        return "\n---\n".join(pods)

    def _collect(self, count: int | None = None) -> None:
        """Hear the answers to the first ``count`` requests; one that was cut off proves nothing."""
        due = self._applying[: max(count, 0)] if count is not None else self._applying
        for names, process in list(due):
            process.communicate(timeout=180)
            if process.returncode == 0:
                self.confirmed.update(names)
        self._applying = self._applying[len(due) :]

    def _kill(self, victim: str) -> None:
        pid = 0
        if victim == CONTROL_PLANE:
            pid = self._machine.engine_pid()
        elif victim == SUPERVISOR:
            if living := sorted(self._supervisors()):
                uid, pid = self._rng.choice(living)
                self.unsupervised.add(uid)
        else:
            note = self._machine.home / "nodes" / SERVANTS[victim]
            pid = _living(json.loads(note.read_text())) if note.exists() else 0
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.killed[victim] += 1

    def _supervisors(self) -> Iterator[tuple[str, int]]:
        """(uid of the pod, pid) of all that live."""
        for file in (self._machine.home / "nodes" / "pods").glob("*/status.json"):
            with contextlib.suppress(FileNotFoundError):
                if pid := _living(json.loads(file.read_text())):
                    yield file.parent.name, pid


def _living(known: dict[str, Any]) -> int:
    alive = identity.is_alive(known["pid"], known["start_time"], known["boot_id"])
    return int(known["pid"]) if alive else 0


def judge(machine: Machine, siege: Siege) -> Counter[str]:
    """Wait for the end of every pod and check what is said of it; how many ended how."""
    wait_for(lambda: all(it["status"].get("phase") in ("Succeeded", "Failed") for it in machine.objects("pods")), 300)
    found = {it["metadata"]["name"]: it for it in machine.objects("pods")}
    assert siege.confirmed <= found.keys(), "a pod that was confirmed is gone"
    ends: Counter[str] = Counter()
    for name, it in found.items():
        [status] = it["status"]["containerStatuses"]
        end = status["state"]["terminated"]
        assert status["restartCount"] == 0, f"{name} was started twice"
        if it["metadata"]["uid"] in siege.unsupervised and end["exitCode"] != siege.codes[name]:
            assert (end["exitCode"], end["reason"]) == (KILLED, STATUS_UNKNOWN), f"{name}: {end}"
            ends["unseen"] += 1
            continue
        assert end["exitCode"] == siege.codes[name], f"{name} ended with {siege.codes[name]}, but: {end}"
        log = machine.kubectl("logs", name)
        assert log == f"begin {name}\nend {name}\n", f"the log of {name}: {log!r}"
        ends["seen"] += 1
    return ends


def besiege(machine: Machine, kills: int) -> None:
    seed = int(os.environ.get("KILL_SEED") or random.SystemRandom().randrange(1, 2**31))
    print(f"KILL_SEED={seed}", flush=True)
    machine.ok("up", "--nodes", "2")
    siege = Siege(machine, seed)
    began = time.monotonic()
    siege.run(kills)
    ends = judge(machine, siege)
    print(f"{dict(siege.killed)} in {time.monotonic() - began:.0f} s; {len(siege.codes)} pods: {dict(ends)}")
    machine.kubectl("delete", "pods", "--all", "--now")
    pods = machine.home / "nodes" / "pods"
    wait_for(lambda: not list(pods.iterdir()))
    machine.ok("down")
    assert machine.leftovers() == []


def test_kills_in_any_order(machine: Machine) -> None:
    besiege(machine, 12)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_a_hundred_kills_in_any_order(machine: Machine) -> None:
    besiege(machine, 100)
