"""The published scaling table, measured: the fraud example on 1, 2 and 4 GPUs by changing numNodes alone.

    python benchmarks/scaling.py [--gpus 1 2 4] [--batches 1024 8192 32768 65536] [--picture scaling.svg] [--rehearse]

Applies ``examples/fraud-detection/trainjob-{1,2,4}gpu.yaml`` on an engine of its own, one GPU a pod, with another
command: the script on the training library, which travels beside the scripts as an archive, the batch, and data that
was made once. Step time and rows a second are the job's own (the median epoch), activity is what the node's metrics
showed at most. Then the same as one pod with all GPUs, which exchange gradients through each other's memory. What the
machine has too few GPUs for is in the table as not run. First of all one GPU's job as a user has it, who begins with
nothing: from apply to Complete, the pod making its data, as a graph and compiled. ``--rehearse``: simulated GPUs and
little data, anywhere.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import tempfile
import time
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import nvidia_smi
import train_jobs
from engine import Engine, verdict_in

REPOSITORY = Path(__file__).parent.parent
FRAUD = REPOSITORY / "examples" / "fraud-detection"
LIBRARY = REPOSITORY / "train" / "src"
SCRIPTS = (*FRAUD.glob("*.py"), FRAUD / "profiles.json")
SETTINGS = ("NCCL_", "NVSHMEM_", "TORCH_SYMM_MEM_")
"""Variables of this process that begin so go into the pods: what the machine's owner says of its links holds there."""
PATIENCE = 120
"""Seconds for one job."""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: work, namespace: fraud}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 4Gi}}}
"""


@dataclass(frozen=True)
class Gang:
    """So many pods of so many GPUs each, every GPU with ``batch`` rows a step.

    ``fresh``: each pod makes its data first, as the manifest has it, and not the first job for all.
    """

    pods: int
    each: int
    batch: int
    compiled: bool = True
    fresh: bool = False

    @property
    def gpus(self) -> int:
        return self.pods * self.each

    @property
    def name(self) -> str:
        how = "compiled" if self.compiled else "graph"
        return f"fraud-{self.pods}x{self.each}-{self.batch}-{how}" + "-fresh" * self.fresh


@dataclass(frozen=True)
class Run:
    """What a gang did. ``activity``: percent of GPU utilisation, the least of its GPUs at the best moment.

    ``stepping``: seconds of all epochs, first steps, capture and compilation included.
    """

    gang: Gang
    rows_per_second: float
    stepping: float
    auc: float
    complete_after: float
    activity: float

    @property
    def step(self) -> float:
        """Seconds."""
        return self.gang.batch * self.gang.gpus / self.rows_per_second


class Bench:
    """The engine, and what the jobs share: scripts, library, data."""

    def __init__(self, engine: Engine, *, rehearse: bool) -> None:
        self.engine, self.rehearse = engine, rehearse
        engine.kubectl("create", "namespace", "fraud")
        engine.kubectl("apply", "-f", "-", stdin=CLAIM)
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder, "sidings_train.zip")
            with zipfile.ZipFile(archive, "w") as file:
                for source in LIBRARY.rglob("*.py"):
                    file.write(source, source.relative_to(LIBRARY))
            files = [f"--from-file={path}" for path in (*SCRIPTS, archive)]
            engine.kubectl("create", "configmap", "fraud-scripts", "-n", "fraud", *files)

    def run(self, gang: Gang) -> Run:
        """Apply the gang's TrainJob and wait for it; raises SystemExit with its log if it fails."""
        began = time.monotonic()
        self.engine.kubectl("apply", "-f", "-", stdin=json.dumps(self.manifest(gang)))
        activity = [0.0]

        def look() -> None:
            activity.append(self.activity(gang))

        try:
            train_jobs.wait(self.engine, gang.name, "fraud", patience=PATIENCE, meanwhile=look)
            seconds = time.monotonic() - began
            text = train_jobs.log(self.engine, gang.name, "fraud")
        finally:
            self.engine.kubectl("delete", "trainjob", gang.name, "-n", "fraud", "--wait")
        result = verdict_in(text)
        for line in text.splitlines():
            if "eagerly" in line or "not compiled" in line or "process group:" in line:
                print(line, flush=True)
        return Run(gang, result["rows_per_second"], result["stepping"], result["auc"], seconds, max(activity))

    def manifest(self, gang: Gang) -> dict[str, Any]:
        job: dict[str, Any] = yaml.safe_load((FRAUD / f"trainjob-{gang.pods}gpu.yaml").read_text())
        job["metadata"]["name"] = gang.name
        trainer, pod = job["spec"]["trainer"], job["spec"]["podTemplateOverrides"][0]["spec"]
        words = ["--cards=20", "--epochs=2"] if self.rehearse else [f"--epochs={epochs(gang.batch)}"]
        words += ["--compile"] * (gang.compiled and not self.rehearse)
        words += ["--data-dir=/work/data", f"--checkpoints=/work/{gang.name}", "--checkpoint-every=1000000"]
        words += [f"--batch-size={gang.batch}", *["--symmetric"] * (gang.each > 1)]
        trainer["command"] = ["torchrun", "/scripts/train_with_library.py", *words]
        trainer["numProcPerNode"] = gang.each
        trainer["resourcesPerNode"] = {kind: {"nvidia.com/gpu": gang.each} for kind in ("requests", "limits")}
        trainer["env"] = [{"name": "PYTHONPATH", "value": "/scripts/sidings_train.zip"}] + [
            {"name": name, "value": value} for name, value in os.environ.items() if name.startswith(SETTINGS)
        ]
        for volume in pod["volumes"]:
            if volume["name"] == "work" and not gang.fresh:
                del volume["emptyDir"]
                volume["persistentVolumeClaim"] = {"claimName": "work"}
        return job

    def activity(self, gang: Gang) -> float:
        page = self.engine.kubectl("get", "--raw", "/metrics")
        found = re.findall(rf'^DCGM_FI_DEV_GPU_UTIL\{{.*exported_job="{gang.name}".*\}} (\S+)', page, re.MULTILINE)
        return min(map(float, found)) if len(found) == gang.gpus else 0.0


def epochs(batch: int) -> int:
    """As the published run at its batch; at larger ones more, so that there is time to look."""
    return 10 if batch <= 1024 else 20 * round(math.sqrt(batch / 1024))


def table(runs: Iterable[Run], asked: Iterable[Gang]) -> str:
    """Markdown, a line for each gang of ``asked``, measured or not."""
    known = {run.gang: run for run in runs}
    lines = [
        "| rows a GPU | pods x GPUs | ms/step | rows/s | speed-up | efficiency | exchange | busy | AUC | complete |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for gang in asked:
        shape = f"| {gang.batch:,} | {gang.pods} x {gang.each} "
        run, one = known.get(gang), known.get(Gang(1, 1, gang.batch))
        if run is None:
            lines.append(shape + "| not run " * 8 + "|")
            continue
        speedup = run.rows_per_second / one.rows_per_second if one else float("nan")
        waiting = 1 - one.step / run.step if one else float("nan")
        lines.append(
            f"{shape}| {run.step * 1e3:.3f} | {run.rows_per_second / 1e6:.2f} M | {speedup:.3f} | "
            f"{speedup / gang.gpus:.1%} | {waiting:.1%} | {run.activity:.0f} % | {run.auc:.5f} | "
            f"{run.complete_after:.1f} s |"
        )
    return "\n".join(lines)


def picture(runs: Iterable[Run]) -> str:
    """Speed-up over GPUs as SVG: a line for each batch, and the diagonal that nothing exceeds."""
    runs = list(runs)
    known = {run.gang: run for run in runs}
    most = max((run.gang.gpus for run in runs), default=1)
    size, edge = 360, 40

    def at(gpus: float, speedup: float) -> str:
        scale = size / most
        return f"{edge + gpus * scale:.1f},{edge + size - speedup * scale:.1f}"

    shapes = [f'<polyline points="{at(0, 0)} {at(most, most)}" stroke="#bbb" fill="none"/>']
    for number, batch in enumerate(sorted({run.gang.batch for run in runs})):
        one = known.get(Gang(1, 1, batch))
        gangs = [run for run in runs if run.gang.batch == batch and run.gang.each == 1] if one else []
        points = [at(run.gang.gpus, run.rows_per_second / one.rows_per_second) for run in gangs if one]
        colour = f"hsl({number * 80}, 65%, 42%)"
        shapes.append(f'<polyline points="{" ".join(points)}" stroke="{colour}" stroke-width="2" fill="none"/>')
        shapes += [f'<circle cx="{p.split(",")[0]}" cy="{p.split(",")[1]}" r="3" fill="{colour}"/>' for p in points]
        shapes.append(f'<text x="{edge + 8}" y="{edge + 16 * number + 12}" fill="{colour}">{batch:,} rows a GPU</text>')
    shapes += [f'<text x="{at(n, 0).split(",")[0]}" y="{edge + size + 18}">{n}</text>' for n in range(1, most + 1)]
    shapes += [f'<text x="{edge - 18}" y="{at(0, n).split(",")[1]}">{n}</text>' for n in range(1, most + 1)]
    shapes.append(f'<text x="{edge + size / 2}" y="{edge + size + 36}">GPUs</text>')
    shapes.append(f'<text x="{edge - 30}" y="{edge - 12}">times one GPU</text>')
    whole = size + 2 * edge
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{whole}" font-family="sans-serif"'
    return f'{head} font-size="12">\n' + "\n".join(shapes) + "\n</svg>\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpus", type=int, nargs="+", choices=(1, 2, 4), default=[1, 2, 4])
    parser.add_argument("--batches", type=int, nargs="+", default=[1024, 8192, 32_768, 65_536])
    parser.add_argument("--picture", type=Path, default=Path("scaling.svg"))
    parser.add_argument("--seconds", type=float, default=540, help="no job starts later than this")
    parser.add_argument("--rehearse", action="store_true", help="simulated GPUs and little data, on any machine")
    args = parser.parse_args()
    here = 2 if args.rehearse else nvidia_smi.count()
    largest = max((count for count in args.gpus if count <= here), default=1)
    asked = [Gang(count, 1, batch) for batch in args.batches for count in sorted(args.gpus)]
    asked += [Gang(1, largest, batch) for batch in args.batches if largest > 1]
    fresh = [Gang(1, 1, args.batches[0], compiled, fresh=True) for compiled in (False, True)]
    began, runs = time.monotonic(), list[Run]()
    options = ["--gpus-per-node", str(here), "--simulate-gpus"] if args.rehearse else []
    with Engine(*options) as engine:
        bench = Bench(engine, rehearse=args.rehearse)
        for gang in [*fresh, *asked]:
            if gang.gpus > here or time.monotonic() - began > args.seconds:
                continue
            try:
                runs.append(bench.run(gang))
            except SystemExit as error:
                print(error, flush=True)
                continue
            print(gang.name, table(runs, [gang]).splitlines()[-1], flush=True)
    print(table(runs, asked))
    for run in runs:
        if run.gang.fresh:
            print(
                f"{run.gang.name}: from apply to Complete {run.complete_after:.1f} s, stepping {run.stepping:.2f} s, "
                f"{run.rows_per_second:,.0f} rows/s, AUC {run.auc:.5f}"
            )
    args.picture.write_text(picture(runs))


if __name__ == "__main__":
    main()
