"""What a script finds in its environment: the Training Operator told it other variables than Trainer does.

Trainer tells torchrun (``PET_*``), JAX (``JAX_*``) and XGBoost (``DMLC_*``) their places. A script that reads what the
Training Operator set (``RANK``, ``COORDINATOR_ADDRESS``, ...) finds none of it, so these variables are written into the
TrainJob, with the values that they have there. torchrun sets its scripts' variables itself: a command line that is
torchrun's needs them only where it mentions them (``--node_rank=$(RANK)``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sidings.api.objects import Object
from sidings.api.trainer import words
from sidings.api.trainer.rules.reserved import XGBOOST_ENV
from sidings.api.training_operator.framework import JAX, PADDLE, PYTORCH, XGBOOST, Framework

LAUNCHERS = ("torchrun", "torch.distributed.run", "torch.distributed.launch")
RESERVED = {PYTORCH: words.TORCH_ENV, XGBOOST: XGBOOST_ENV}
"""Framework -> names that Trainer refuses in a job."""
_UNBUFFERED = {"name": "PYTHONUNBUFFERED", "value": "1"}
_TORCH = ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK")
_MENTIONED = re.compile(rf"\$[({{]?({'|'.join(_TORCH)})\b")


def has_launcher(container: Object) -> bool:
    """Whether the command line names torchrun; without a command the image decides, and we cannot know."""
    return any(launcher in _line(container) for launcher in LAUNCHERS)


def mentions(container: Object) -> list[str]:
    """Which of torch's four variables the command line refers to, in their usual order."""
    found = set(_MENTIONED.findall(_line(container)))
    return [name for name in _TORCH if name in found]


def split(env: Iterable[Object], taken: Iterable[str]) -> tuple[list[Object], list[str]]:
    """(variables that stay, names of those that are in ``taken``)."""
    kept, dropped = [], []
    for variable in env:
        if variable["name"] in taken:
            dropped.append(variable["name"])
        else:
            kept.append(variable)
    return kept, dropped


def of_the_operator(of: Framework, job_name: str, nodes: int, processes: int) -> list[Object]:
    """What the Training Operator told all ``nodes`` pods of a job, in the terms of its TrainJob."""
    host, port = words.master_host(job_name), str(words.RENDEZVOUS_PORT)
    if of is JAX:
        told = [
            _value("COORDINATOR_PORT", port),
            _value("COORDINATOR_ADDRESS", host),
            _value("NUM_PROCESSES", str(nodes)),
            _rank("PROCESS_ID"),
        ]
    elif of is PADDLE:
        told = [
            _value("PADDLE_JOB_ID", job_name),
            _value("PADDLE_NNODES", str(nodes)),
            _value("PADDLE_MASTER", f"{host}:{PADDLE.port}"),
        ]
    else:
        told = [
            _value("MASTER_ADDR", host),
            _value("MASTER_PORT", port),
            _value("WORLD_SIZE", str(nodes * processes)),
            _rank("RANK"),
        ]
    if of is XGBOOST and nodes > 1:
        told += [_value("WORKER_PORT", port), _value("WORKER_ADDRS", ",".join(_hosts(job_name, range(1, nodes))))]
    return [_UNBUFFERED, *told]


def unbuffered() -> list[Object]:
    """What is told to a script that needs no more: Python shows its lines at once."""
    return [_UNBUFFERED]


def _line(container: Object) -> str:
    return " ".join(map(str, [*(container.get("command") or ()), *(container.get("args") or ())]))


def _hosts(job_name: str, numbers: Sequence[int]) -> list[str]:
    return [f"{job_name}-{words.NODE}-0-{number}.{job_name}" for number in numbers]


def _value(name: str, value: str) -> Object:
    return {"name": name, "value": value}


def _rank(name: str) -> Object:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": words.COMPLETION_INDEX_PATH}}}
