"""The variables by which ``torchrun`` and plain ``init_process_group`` find each other.

With a Master there is a fixed rendezvous: its address, the world's size and the node's rank, also under the names that
torchrun reads (``PET_``). Without one, only ``PET_NNODES`` and an elastic rendezvous are told: such scripts have to be
started by torchrun. ``RANK`` is the rank of the pod, not of a process, whatever ``nprocPerNode`` says.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.training_operator import words
from sidings.controllers.pytorchjob import elastic
from sidings.controllers.training_operator.operator import Place, variables
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name


def environment(snapshot: Snapshot, place: Place) -> list[Object]:
    spec = snapshot.job["spec"]
    values = {"PYTHONUNBUFFERED": "1"}
    if snapshot.leader is not None:
        values |= _fixed(snapshot, place)
    processes = spec.get("nprocPerNode")
    if processes is not None:
        values["PET_NPROC_PER_NODE"] = processes
    if spec.get("elasticPolicy") is not None:
        values |= elastic.environment(snapshot)
    else:
        values["PET_NNODES"] = str(snapshot.total)
    return variables(values)


def _fixed(snapshot: Snapshot, place: Place) -> dict[str, str]:
    port = str(snapshot.port(words.MASTER))
    address = replica_name(snapshot.name, words.MASTER, 0)
    rank = str(place.number if place.role == words.MASTER else place.number + 1)
    return {
        "MASTER_PORT": port,
        "PET_MASTER_PORT": port,
        "MASTER_ADDR": address,
        "PET_MASTER_ADDR": address,
        "WORLD_SIZE": str(snapshot.total * _processes(snapshot)),
        "RANK": rank,
        "PET_NODE_RANK": rank,
    }


def _processes(snapshot: Snapshot) -> int:
    """Processes of one pod, 1 where only torchrun will know (auto, cpu, gpu)."""
    value = snapshot.job["spec"].get("nprocPerNode") or ""
    return int(value) if value.isdecimal() else 1
