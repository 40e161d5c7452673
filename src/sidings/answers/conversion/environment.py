"""What a script finds in its environment: Trainer tells torchrun (``PET_*``) and nobody else.

A script started by torchrun gets ``RANK``, ``WORLD_SIZE``, ``MASTER_ADDR`` and ``MASTER_PORT`` from it. One that is
started by ``python`` had them from the Training Operator, so they are written into the TrainJob for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from sidings.api.objects import Object
from sidings.api.trainer import words

LAUNCHERS = ("torchrun", "torch.distributed.run", "torch.distributed.launch")


def has_launcher(container: Object) -> bool:
    """Whether the command line names torchrun; without a command the image decides, and we cannot know."""
    line = " ".join([*(container.get("command") or ()), *(container.get("args") or ())])
    return any(launcher in line for launcher in LAUNCHERS)


def without_reserved(env: Iterable[Object]) -> tuple[list[Object], list[str]]:
    """(what may stay, names that Trainer sets itself and refuses)."""
    kept, dropped = [], []
    for variable in env:
        if variable["name"] in words.TORCH_ENV:
            dropped.append(variable["name"])
        else:
            kept.append(variable)
    return kept, dropped


def of_the_operator(job_name: str, world: int) -> list[Object]:
    """The four variables that Trainer does not set, for one process a pod."""
    return [
        {"name": "MASTER_ADDR", "value": words.master_host(job_name)},
        {"name": "MASTER_PORT", "value": str(words.RENDEZVOUS_PORT)},
        {"name": "WORLD_SIZE", "value": str(world)},
        {"name": "RANK", "valueFrom": {"fieldRef": {"fieldPath": words.COMPLETION_INDEX_PATH}}},
    ]
