"""What a machine with NVIDIA GPUs shows: NVLink between pods, gangs, isolation, and the fraud example's speed.

    python benchmarks/gpu.py [--rehearse] [--seconds 330] [WORD...]

Prints one JSON object a step, as soon as it is known, and all of them as one object at the end. A step that fails or
takes too long says why and the next one goes on; a step that would start after ``--seconds`` is skipped. ``--rehearse``
does the same with simulated GPUs and gloo, on any machine. Needs torch, numpy and pyarrow in the Python that runs it,
and kubectl.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nvidia_smi
import train_jobs
from engine import Engine, verdict_in
from gpu_jobs import ALL_REDUCE, HOLD, LOOK, result_in, train_job
from steps import PATIENCE, Findings, Step

REPOSITORY = Path(__file__).parent.parent
VALIDATION = REPOSITORY / "tests" / "e2e" / "manifests" / "trainjob.yaml"
FRAUD = REPOSITORY / "examples" / "fraud-detection"
FRAUD_SCRIPTS = ("generate.py", "profiles.json", "features.py", "bucket.py", "prepare.py", "metrics.py", "train.py")
NO_NVLS = ("NCCL_NVLS_ENABLE", "0")
"""NVLink multicast needs more of a virtual machine than some give; on two GPUs NCCL does not use it anyway."""
JOB_PATIENCE = PATIENCE - 10
"""Seconds that one job may take: its logs are still to be told in the time of its step."""


class Bench:
    """The steps, each a method that returns what it found."""

    def __init__(self, engine: Engine, *, rehearse: bool) -> None:
        self.engine = engine
        self.rehearse = rehearse
        self.megabytes = 16 if rehearse else 256
        self.bare: list[float] = []
        self.pods: list[float] = []

    def node(self) -> dict[str, Any]:
        """What the node says of its sandboxes and its GPUs."""
        found = []
        for node in self.engine.get("nodes")["items"]:
            labels = node["metadata"]["labels"]
            conditions = {
                c["type"]: f"{c['status']} {c['reason']}: {c['message']}" for c in node["status"]["conditions"]
            }
            found.append(
                {
                    "name": node["metadata"]["name"],
                    "sandbox": conditions["sidings.dev/Sandbox"],
                    "gpus": conditions.get("sidings.dev/GPUs", ""),
                    "allocatable": node["status"]["allocatable"],
                    "labels": {key: value for key, value in labels.items() if "nvidia" in key or "10de" in key},
                }
            )
        return {"nodes": found, "c_compiler": shutil.which("cc") or shutil.which("gcc")}

    def prepare(self) -> dict[str, Any]:
        """The scripts as ConfigMaps; NVLS off for every job of the runtime, as its administrator would set it."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("all_reduce.py", ALL_REDUCE), ("look.py", LOOK), ("hold.py", HOLD)):
                Path(folder, name).write_text(text)
            self.engine.kubectl("create", "configmap", "bench", f"--from-file={folder}")
        self.engine.kubectl("create", "namespace", "fraud")
        files = [f"--from-file={FRAUD / name}" for name in FRAUD_SCRIPTS]
        self.engine.kubectl("create", "configmap", "fraud-scripts", "-n", "fraud", *files)
        path = "/spec/template/spec/replicatedJobs/0/template/spec/template/spec/containers/0/env"
        variable = [{"name": NO_NVLS[0], "value": NO_NVLS[1]}]
        patch = json.dumps([{"op": "add", "path": path, "value": variable}])
        self.engine.kubectl("patch", "clustertrainingruntime", "torch-distributed", "--type=json", "-p", patch)
        return {}

    def bare_all_reduce(self) -> dict[str, Any]:
        """Two processes without any sandbox, each with one GPU."""
        port = 29600 + len(self.bare)
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "all_reduce.py")
            script.write_text(ALL_REDUCE)
            ranks = []
            for rank in (0, 1):
                environment = {**os.environ, "CUDA_VISIBLE_DEVICES": str(rank), NO_NVLS[0]: NO_NVLS[1]}
                if self.rehearse:
                    environment["CUDA_VISIBLE_DEVICES"] = ""
                command = [
                    sys.executable, "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=1",
                    f"--node-rank={rank}", "--master-addr=127.0.0.1", f"--master-port={port}", str(script),
                    str(self.megabytes),
                ]  # fmt: skip
                ranks.append(subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=-2))
            texts = [process.communicate(timeout=PATIENCE)[0] for process in ranks]
        found = result_in(texts[0])
        self.bare.append(statistics.median(found["gb_per_second"]))
        return found

    def pod_all_reduce(self) -> dict[str, Any]:
        """The same between two pods of a TrainJob, each with one GPU; ``transport`` is what NCCL chose."""
        debug = (("NCCL_DEBUG", "INFO"), ("NCCL_DEBUG_SUBSYS", "INIT,P2P,NET"))
        words = f"/scripts/all_reduce.py, '{self.megabytes}'"
        self.apply(train_job("reduce", words, nodes=2, gpus=1, env=debug))
        text = self.finished("reduce")
        found = result_in(text)
        chosen = {line.partition(" via ")[2].strip() for line in text.splitlines() if " via " in line}
        self.pods.append(statistics.median(found["gb_per_second"]))
        self.engine.kubectl("delete", "trainjob", "reduce", "--wait")
        events = self.engine.get("events")["items"]
        notes = sorted({it["message"] for it in events if it["reason"] == "NVLinkNotKept"})
        ratio = self.pods[-1] / max(self.bare) if self.bare else None
        return found | {"transport": sorted(chosen)[:8], "pods_to_bare": ratio, "not_kept": notes}

    def validation(self) -> dict[str, Any]:
        """The validation manifest, unchanged."""
        self.engine.kubectl("apply", "-f", str(VALIDATION))
        text = self.finished("pytorch-trainer-validation", "distributed-poc")
        lines = [line for line in text.splitlines() if "all_reduce =" in line]
        self.engine.kubectl("delete", "namespace", "distributed-poc", "--wait")
        return {"lines": lines}

    def no_gpu(self) -> dict[str, Any]:
        """What a pod sees that asks for no GPU."""
        self.apply(train_job("look", "/scripts/look.py", nodes=1, gpus=0))
        found = result_in(self.finished("look"))
        self.engine.kubectl("delete", "trainjob", "look", "--wait")
        return found

    def two_gangs(self) -> dict[str, Any]:
        """Two jobs of two pods at once, on the same port: one over the GPUs, one over CPUs."""
        self.apply(train_job("gang-gpu", f"/scripts/all_reduce.py, '{self.megabytes}'", nodes=2, gpus=1))
        self.apply(train_job("gang-cpu", "/scripts/all_reduce.py, '8'", nodes=2, gpus=0))
        found = {name: result_in(self.finished(name)) for name in ("gang-gpu", "gang-cpu")}
        self.engine.kubectl("delete", "trainjob", "gang-gpu", "gang-cpu", "--wait")
        return found

    def two_jobs(self) -> dict[str, Any]:
        """Two jobs of one GPU each at once: which devices they have."""
        for name in ("one", "two"):
            self.apply(train_job(name, "/scripts/look.py", nodes=1, gpus=1))
        found = {name: result_in(self.finished(name)) for name in ("one", "two")}
        self.engine.kubectl("delete", "trainjob", "one", "two", "--wait")
        return found

    def fraud(self, gpus: int) -> dict[str, Any]:
        """The example's TrainJob on so many GPUs, one a pod: speed, quality, and what the monitoring saw."""
        name = f"fraud-detection-{gpus}gpu"
        self.engine.kubectl("apply", "-f", str(FRAUD / f"trainjob-{gpus}gpu.yaml"))
        metrics: list[str] = []
        text = self.finished(name, "fraud", lambda: metrics.append(self.engine.kubectl("get", "--raw", "/metrics")))
        result = verdict_in(text)
        jobs = json.loads(self.engine.kubectl("get", "--raw", "/telemetry/v1/jobs?namespace=fraud"))["jobs"]
        seen = [line for page in metrics for line in page.splitlines() if f'exported_job="{name}"' in line]
        samples = sorted({line for line in seen if line.startswith("DCGM_FI_DEV_GPU_UTIL")})[-gpus:]
        ranks = [rank for job in jobs if job["name"] == name for rank in job["ranks"]]
        utilization = {
            f"{rank['pod']} GPU {gpu['index']}": gpu["figures"].get("utilization_percent")
            for rank in ranks
            for gpu in rank["gpus"]
        }
        return {"result": result, "utilization_percent": utilization, "ranks": ranks, "metrics": samples}

    def killed(self) -> dict[str, Any]:
        """A pod that holds GPU memory loses its supervisor to SIGKILL: what is left of it, and who has the GPU next."""
        before = nvidia_smi.memory_used()
        self.apply(train_job("hold", "/scripts/hold.py", nodes=1, gpus=1))
        selector = "jobset.sigs.k8s.io/jobset-name=hold"
        self.until(lambda: [it["status"].get("phase") for it in self.pods_of(selector)] == ["Running"])
        self.until(lambda: "holding" in train_jobs.logs(self.engine, "hold", "default"))
        held = nvidia_smi.memory_used()
        [pod] = self.pods_of(selector)
        folder = self.engine.home / "state" / "nodes" / "pods" / pod["metadata"]["uid"]
        processes = processes_of(folder)
        began = time.monotonic()
        os.kill(json.loads((folder / "status.json").read_text())["pid"], signal.SIGKILL)
        self.until(lambda: not any(Path("/proc", str(pid)).exists() for pid in processes))
        seconds = time.monotonic() - began
        self.engine.kubectl("delete", "trainjob", "hold", "--wait")
        self.until(lambda: nvidia_smi.memory_used() <= [used + 64 for used in before])
        left = [pid for pid in processes if Path("/proc", str(pid)).exists()]
        memory = {"before": before, "held": held, "after": nvidia_smi.memory_used()}
        return {"processes": len(processes), "left": left, "all_gone_after_s": round(seconds, 2), "memory_mib": memory}

    # Tools of the steps

    def clear(self) -> None:
        """End all jobs; where even that fails the engine's end will do it."""
        with contextlib.suppress(SystemExit):
            self.engine.kubectl("delete", "trainjobs", "--all", "--all-namespaces", "--wait", "--timeout=30s")

    def apply(self, manifest: str) -> None:
        self.engine.kubectl("apply", "-f", "-", stdin=manifest)

    def finished(self, job: str, namespace: str = "default", meanwhile: Callable[[], object] = lambda: None) -> str:
        """Wait for a TrainJob's end; the log of its first rank. Raises SystemExit with all logs where it failed."""
        train_jobs.wait(self.engine, job, namespace, patience=JOB_PATIENCE, meanwhile=meanwhile)
        return train_jobs.log(self.engine, job, namespace)

    def pods_of(self, selector: str) -> list[Any]:
        return list(self.engine.get("pods", "-l", selector)["items"])

    def until(self, met: Callable[[], bool]) -> None:
        """Poll; the step's own time limit ends it."""
        while not met():
            time.sleep(0.1)


def processes_of(folder: Path) -> list[int]:
    """Pids that have something below ``folder``, a pod's directory, mounted: all of the pod but its supervisor."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if str(folder) in (entry / "mountinfo").read_text():
                    found.append(int(entry.name))
            except OSError:
                continue  # it has just ended
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", metavar="WORD", help="only steps with one of these words in their name")
    parser.add_argument("--rehearse", action="store_true", help="simulated GPUs and gloo, on any machine")
    parser.add_argument("--seconds", type=float, default=330, help="no step starts later than this")
    parser.add_argument("--up", action="append", default=[], metavar="OPTION", help="another option of `sidings up`")
    args = parser.parse_args()
    options = ["--nodes", "2", *args.up]
    if args.rehearse:
        options += ["--gpus-per-node", "1", "--simulate-gpus"]
    findings = Findings(time.monotonic() + args.seconds, args.only)
    doctor = subprocess.run([sys.executable, "-m", "sidings", "doctor"], text=True, capture_output=True, timeout=60)
    print(doctor.stdout + doctor.stderr, flush=True)
    with Engine(*options) as engine:
        bench = Bench(engine, rehearse=args.rehearse)
        findings.take("node", bench.node, clear=bench.clear, always=True)
        findings.take("prepare", bench.prepare, clear=bench.clear, always=True)
        steps: list[tuple[str, Step]] = [
            ("bare all-reduce", bench.bare_all_reduce),
            ("pods all-reduce", bench.pod_all_reduce),
            ("manifest 01", bench.validation),
            ("a pod without GPU", bench.no_gpu),
            ("fraud, 1 GPU", lambda: bench.fraud(1)),
            ("fraud, 2 GPUs", lambda: bench.fraud(2)),
            ("kill -9 of a GPU pod", bench.killed),
            ("two jobs of one GPU at once", bench.two_jobs),
            ("two gangs at once", bench.two_gangs),
            ("bare all-reduce again", bench.bare_all_reduce),
            ("pods all-reduce again", bench.pod_all_reduce),
        ]
        for name, step in steps:
            findings.take(name, step, clear=bench.clear)
    without = "pods all-reduce without a C compiler"
    if findings.wants(without):
        with tempfile.TemporaryDirectory() as empty, Engine(*options, PATH=empty) as engine:
            known, bench = bench, Bench(engine, rehearse=args.rehearse)
            bench.bare = known.bare
            findings.take("prepare again", bench.prepare, clear=bench.clear, always=True)
            findings.take(without, bench.pod_all_reduce, clear=bench.clear)
    print(json.dumps(findings))


if __name__ == "__main__":
    main()
