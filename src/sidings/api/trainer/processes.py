"""How many processes ``torchrun`` starts on a node: ``PET_NPROC_PER_NODE`` and MPI's slots.

All generations in one rule. ``numProcPerNode`` of the TrainJob, else of a 2.0/2.1 runtime's torch policy, else
``auto``. A number or ``gpu`` goes to torchrun as it is. ``cpu``, and ``auto`` without GPUs, become the CPU count:
torchrun's own ``auto`` would start one process for each CPU of the host. ``auto`` with GPUs stays ``auto``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.api.trainer import resources, runtimes

AUTO, CPU, GPU = "auto", "cpu", "gpu"
WORDS = (AUTO, CPU, GPU)


def processes_per_node(job: Mapping[str, Any], runtime: Mapping[str, Any]) -> str:
    """A number, ``auto`` or ``gpu``."""
    torch = (runtimes.ml_policy(runtime) or {}).get("torch") or {}
    wanted = ((job.get("spec") or {}).get("trainer") or {}).get("numProcPerNode")
    if wanted is None:
        wanted = torch.get("numProcPerNode")
    if wanted is None:
        wanted = AUTO
    given = resources.resources_per_node(job, runtime)
    if wanted == CPU or (wanted == AUTO and resources.gpus_of(given) == 0):
        return str(max(1, resources.cpus_of(given)))
    return str(wanted)


def is_valid_word(value: str) -> bool:
    """Whether a string ``numProcPerNode`` is one of the words or a positive number."""
    return value in WORDS or (value.isascii() and value.isdigit() and int(value) > 0)
