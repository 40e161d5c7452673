"""A day of three teams in small: real training jobs over two cohorts, with priorities, preemption and checkpoints.

``python benchmarks/queue_day.py [--jobs 30] [--cards 20] [--epochs 20]`` starts an engine of its own and prepares a
little of the fraud example's data. Teams ``cards`` and ``transfers`` lend each other CPUs in the cohort ``payments``,
``risk`` is alone in the cohort ``credit``; each has two CPUs. Every job is the fraud example on one or two nodes (gloo,
one CPU each). Routine jobs come first, urgent ones while those run, and take their places. Fails unless every job ends
with a result; tells how many of those that made room say that they went on from a checkpoint.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import Engine

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "fraud-detection"
COHORT_OF = {"cards": "payments", "transfers": "payments", "risk": "credit"}
QUOTA = 2
URGENT_EVERY = 5
ANSWER_SECONDS = 1.0
LIMIT_SECONDS = 3600
JOB_SET_NAME = "jobset.sigs.k8s.io/jobset-name"


@dataclass(frozen=True)
class Job:
    team: str
    name: str
    nodes: int
    urgent: bool


def jobs(count: int) -> list[Job]:
    """Of the three teams in turn; every second on two nodes, every fifth urgent."""
    teams = list(COHORT_OF)
    return [
        Job(teams[number % 3], f"fraud-{number:02d}", 1 + number // 3 % 2, number % URGENT_EVERY == URGENT_EVERY - 1)
        for number in range(count)
    ]


def made(api_version: str, kind: str, name: str, namespace: str = "", **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def queues() -> list[dict[str, Any]]:
    version = "kueue.x-k8s.io/v1beta2"
    found = [
        made(version, "ResourceFlavor", "default"),
        made(version, "WorkloadPriorityClass", "urgent", value=1000),
        made(version, "WorkloadPriorityClass", "routine", value=10),
    ]
    quota = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": str(QUOTA)}]}
    for team, cohort in COHORT_OF.items():
        spec = {
            "cohortName": cohort,
            "namespaceSelector": {},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [quota]}],
            "preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"},
        }
        found += [
            made("v1", "Namespace", team),
            made(version, "ClusterQueue", team, spec=spec),
            made(version, "LocalQueue", "queue", team, spec={"clusterQueue": team}),
        ]
    return found


def train_job(job: Job, folder: Path, training: Sequence[str]) -> dict[str, Any]:
    names = ("data", "checkpoints")
    volumes = [{"name": name, "hostPath": {"path": str(folder / name)}} for name in names]
    volumes.append({"name": "scripts", "hostPath": {"path": str(EXAMPLE)}})
    mounts = [{"name": name, "mountPath": f"/{name}"} for name in (*names, "scripts")]
    pod = {
        "terminationGracePeriodSeconds": 60,
        "volumes": volumes,
        "containers": [{"name": "node", "volumeMounts": mounts}],
    }
    template = {"spec": {"template": {"spec": pod}}}
    patch = {"template": {"spec": {"replicatedJobs": [{"name": "node", "template": template}]}}}
    trainer = {
        "command": ["torchrun", "/scripts/train.py", *training, f"--checkpoint-prefix={job.name}"],
        "numNodes": job.nodes,
        "numProcPerNode": 1,
        "resourcesPerNode": {"requests": {"cpu": "1"}},
        "env": [{"name": "OMP_NUM_THREADS", "value": "1"}],
    }
    spec = {
        "runtimeRef": {"name": "torch-distributed"},
        "trainer": trainer,
        "runtimePatches": [{"manager": "example.com/day", "trainingRuntimeSpec": patch}],
    }
    found = made("trainer.kubeflow.org/v1alpha1", "TrainJob", job.name, job.team, spec=spec)
    priority = "urgent" if job.urgent else "routine"
    found["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "queue", "kueue.x-k8s.io/priority-class": priority}
    return found


def apply(engine: Engine, objects: Sequence[dict[str, Any]]) -> None:
    engine.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))


def status_of(item: dict[str, Any], type_: str) -> str:
    found = (item.get("status") or {}).get("conditions") or ()
    return next((condition["status"] for condition in found if condition["type"] == type_), "")


def wait_until_training(engine: Engine, folder: Path) -> None:
    """Until a job of every team has saved a checkpoint: now there is something to lose."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while True:
        started = {path.name for path in (folder / "checkpoints").glob("*") if any(path.glob("step-*.pt"))}
        teams = {item["metadata"]["namespace"] for item in engine.get("trainjobs", "-A")["items"]
                 if item["metadata"]["name"] in started}  # fmt: skip
        if teams == set(COHORT_OF):
            return
        if time.monotonic() > deadline:
            raise SystemExit("no training got as far as its first checkpoint")
        time.sleep(ANSWER_SECONDS)


def wait_for_the_end(engine: Engine) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while True:
        items = engine.get("trainjobs", "-A")["items"]
        if failed := [item["metadata"]["name"] for item in items if status_of(item, "Failed") == "True"]:
            raise SystemExit(f"failed: {', '.join(failed)}")
        if all(status_of(item, "Complete") == "True" for item in items):
            return
        if time.monotonic() > deadline:
            raise SystemExit("not all jobs have ended")
        time.sleep(ANSWER_SECONDS)


def report(engine: Engine, day: Sequence[Job], seconds: float) -> None:
    evictions: dict[str, int] = {}
    for workload in engine.get("workloads", "-A")["items"]:
        counted = (workload["status"].get("schedulingStats") or {}).get("evictions") or ()
        evictions[workload["metadata"]["ownerReferences"][0]["name"]] = sum(int(it["count"]) for it in counted)
    resumed = fresh = 0
    for job in day:
        log = engine.kubectl("logs", "-n", job.team, "-l", f"{JOB_SET_NAME}={job.name}", "--tail=-1")
        if "AUC" not in log:
            raise SystemExit(f"{job.name} ended without a result")
        if evictions[job.name] and "resumed from" in log:
            resumed += 1
        elif evictions[job.name]:
            fresh += 1
    preempted = sum(count > 0 for count in evictions.values())
    urgent = sum(job.urgent for job in day)
    print(f"{len(day)} TrainJobs ({urgent} urgent), all complete in {seconds:.0f} s", flush=True)
    print(f"{sum(evictions.values())} evictions of {preempted} jobs: {resumed} went on from a checkpoint, ", end="")
    print(f"{fresh} began anew", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=30)
    parser.add_argument("--cards", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    with Engine("--nodes", "3", "--cpu", "2", "--memory", "16Gi") as engine:
        folder = engine.home
        (folder / "checkpoints").mkdir()
        data = ["--data-dir", str(folder / "data"), "--cards", str(options.cards)]
        subprocess.run([sys.executable, str(EXAMPLE / "prepare.py"), *data], check=True, stdout=subprocess.DEVNULL)
        training = ["--data-dir=/data", f"--cards={options.cards}", "--checkpoint-dir=/checkpoints"]
        training += [f"--epochs={options.epochs}", "--checkpoint-every=20"]
        apply(engine, queues())
        day = jobs(options.jobs)
        began = time.perf_counter()
        apply(engine, [train_job(job, folder, training) for job in day if not job.urgent])
        wait_until_training(engine, folder)
        apply(engine, [train_job(job, folder, training) for job in day if job.urgent])
        wait_for_the_end(engine)
        report(engine, day, time.perf_counter() - began)


if __name__ == "__main__":
    main()
