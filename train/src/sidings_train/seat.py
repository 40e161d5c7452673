"""Who this process is among all, read from the environment that its launcher left.

Three launchers name the same things differently, and a script should not care:

* ``torchrun`` sets ``RANK``, ``LOCAL_RANK``, ``WORLD_SIZE`` and the address of rank 0 for every process;
* the Training Operator's pods (PyTorchJob) have ``RANK`` and ``WORLD_SIZE`` without torchrun: one process a pod;
* Kubeflow Trainer's pods have ``PET_*``, meant for a torchrun inside; a script that was started by ``python`` instead
  can read them itself as long as there is one process a node;
* nothing set: alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sidings_train.errors import LaunchError

_PER_NODE_UNDECIDED = {"auto", "cpu", "gpu"}  # words of torchrun that mean "as many as this node has"


@dataclass(frozen=True)
class Seat:
    """One process's place in the world. ``master`` is None for a process alone.

    ``agent_store``: torchrun's agent already serves the store at the master address; no rank may open another.
    ``local_size``: processes of this node.
    """

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    master: tuple[str, int] | None = None
    agent_store: bool = False
    local_size: int = 1


def from_environment(env: Mapping[str, str]) -> Seat:
    """The seat that ``env`` describes. LaunchError when it contradicts itself or needs torchrun."""
    if "RANK" in env:
        seat = Seat(
            rank=_number(env, "RANK"),
            size=_number(env, "WORLD_SIZE"),
            local_rank=_number(env, "LOCAL_RANK") if "LOCAL_RANK" in env else 0,
            local_size=_number(env, "LOCAL_WORLD_SIZE") if "LOCAL_WORLD_SIZE" in env else 1,
            master=(_text(env, "MASTER_ADDR"), _number(env, "MASTER_PORT")),
            agent_store=env.get("TORCHELASTIC_USE_AGENT_STORE") == "True",
        )
    elif env.get("PET_NNODES", "1") != "1":
        seat = _from_pet(env)
    else:
        return _alone(env)
    if not 0 <= seat.rank < seat.size:
        raise LaunchError(f"rank {seat.rank} of a world of {seat.size}", cause="ranks count from 0")
    return seat


def _from_pet(env: Mapping[str, str]) -> Seat:
    per_node = env.get("PET_NPROC_PER_NODE", "1")
    if per_node != "1" or not env["PET_NNODES"].isdecimal():
        raise _needs_torchrun(f"PET_NNODES={env['PET_NNODES']} and PET_NPROC_PER_NODE={per_node}")
    return Seat(
        rank=_number(env, "PET_NODE_RANK"),
        size=_number(env, "PET_NNODES"),
        master=(_text(env, "PET_MASTER_ADDR"), _number(env, "PET_MASTER_PORT")),
    )


def _alone(env: Mapping[str, str]) -> Seat:
    per_node = env.get("PET_NPROC_PER_NODE", "1")
    if per_node != "1" and per_node not in _PER_NODE_UNDECIDED:
        raise _needs_torchrun(f"PET_NPROC_PER_NODE={per_node}")
    return Seat()


def _needs_torchrun(settings: str) -> LaunchError:
    return LaunchError(
        f"{settings} ask for several processes a node, but this script runs as one",
        remedy="start it with torchrun, which reads PET_*: torchrun train.py",
    )


def _text(env: Mapping[str, str], name: str) -> str:
    if not env.get(name):
        raise LaunchError(
            f"{name} is not set, though other variables of a distributed start are",
            remedy="start the script with torchrun, or unset RANK and PET_NNODES to run alone",
        )
    return env[name]


def _number(env: Mapping[str, str], name: str) -> int:
    value = _text(env, name)
    if not value.isdecimal():
        raise LaunchError(f"{name}={value!r} is not a number")
    return int(value)
