"""How soon pods run: one at a time, and a hundred at once.

    python benchmarks/pods.py

Times are from the API's point of view: creation to the container's startedAt as the node reports it, and for the
hundred from the apply's return to the last pod seen Running.
"""

from __future__ import annotations

import statistics
import time

from engine import Engine

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: one-%d}
spec:
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: busybox, command: [sleep, "600"]}]
"""
HUNDRED = """\
apiVersion: batch/v1
kind: Job
metadata: {name: hundred}
spec:
  parallelism: 100
  completions: 100
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: busybox, command: [sleep, "600"]}]
"""


def one(engine: Engine, number: int) -> float:
    began = time.perf_counter()
    engine.kubectl("create", "-f", "-", stdin=POD % number)
    created = time.perf_counter()
    engine.kubectl("wait", "--for=condition=Ready", f"pod/one-{number}", "--timeout=30s")
    return time.perf_counter() - (began + created) / 2


def hundred(engine: Engine) -> float:
    engine.kubectl("create", "-f", "-", stdin=HUNDRED)
    began = time.perf_counter()
    while True:
        pods = engine.get("pods", "-l", "job-name=hundred")["items"]
        if sum(pod["status"].get("phase") == "Running" for pod in pods) == 100:
            return time.perf_counter() - began
        if time.perf_counter() - began > 60:
            raise SystemExit("a hundred pods do not run after 60 s")


def main() -> None:
    with Engine("--nodes", "2", "--cpu", "64", "--memory", "64Gi") as engine:
        singles = [one(engine, number) for number in range(5)]
        print(f"one pod, create to Ready as kubectl sees it: median {statistics.median(singles) * 1000:.0f} ms")
        print(f"100 pods, created to all Running: {hundred(engine):.2f} s")


if __name__ == "__main__":
    main()
