"""The jobs of ``gpu.py``: scripts that measure or hold GPUs, the TrainJob that runs one, and the result in its log."""

from __future__ import annotations

import json
import textwrap
from typing import Any

ALL_REDUCE = """\
import json, os, sys, time
import torch
import torch.distributed as dist

cuda = torch.cuda.is_available()
dist.init_process_group("nccl" if cuda else "gloo")
device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
if cuda:
    torch.cuda.set_device(device)
size = int(sys.argv[1]) * 2**20
tensor = torch.ones(size // 2, dtype=torch.bfloat16, device=device)

def timed(rounds):
    dist.barrier()
    if cuda:
        torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(rounds):
        dist.all_reduce(tensor)
    if cuda:
        torch.cuda.synchronize()
    return (time.perf_counter() - began) / rounds

timed(10 if cuda else 2)
seconds = [timed(20 if cuda else 2) for _ in range(5)]
world = dist.get_world_size()
if dist.get_rank() == 0:
    best = [2 * (world - 1) / world * size / s / 1e9 for s in seconds]
    print("RESULT " + json.dumps({"world": world, "backend": dist.get_backend(), "gb_per_second": best}), flush=True)
dist.destroy_process_group()
"""

LOOK = """\
import glob, json, os, subprocess
import torch
def listed():
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return (done.stdout + done.stderr).strip() if done.returncode == 0 else ""
print("RESULT " + json.dumps({
    "cuda_visible_devices": os.environ.get("CUDA_VISIBLE_DEVICES"),
    "device_files": glob.glob("/dev/nvidia*"),
    "torch_sees": torch.cuda.device_count(),
    "nvidia_smi_lists": listed(),
}))
"""

HOLD = """\
import time
import torch

if torch.cuda.is_available():
    held = torch.ones(2**30, dtype=torch.bfloat16, device="cuda")
    torch.cuda.synchronize()
print("holding", flush=True)
time.sleep(3600)
"""


def train_job(name: str, words: str, *, nodes: int, gpus: int, env: tuple[tuple[str, str], ...] = ()) -> str:
    """A TrainJob that runs a script of the ConfigMap ``bench`` under torchrun."""
    resources = f"{{requests: {{nvidia.com/gpu: {gpus}}}, limits: {{nvidia.com/gpu: {gpus}}}}}" if gpus else "{}"
    variables = [{"name": key, "value": value} for key, value in env]
    return textwrap.dedent(f"""\
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {{name: {name}}}
        spec:
          runtimeRef: {{name: torch-distributed}}
          trainer:
            command: [torchrun, {words}]
            numNodes: {nodes}
            numProcPerNode: 1
            resourcesPerNode: {resources}
            env: {json.dumps(variables)}
          podTemplateOverrides:
            - targetJobs: [{{name: node}}]
              spec:
                volumes: [{{name: scripts, configMap: {{name: bench}}}}]
                containers: [{{name: node, volumeMounts: [{{name: scripts, mountPath: /scripts}}]}}]
        """)


def result_in(text: str) -> dict[str, Any]:
    """What a script printed after ``RESULT``."""
    for line in text.splitlines():
        if line.startswith("RESULT "):
            found: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
            return found
    raise SystemExit(f"no result in:\n{text[-4000:]}")
