"""What tells the six kinds apart, as data: roles, the container that counts, its port, names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sidings.api.objects import Object
from sidings.api.resources import (
    JAX_JOBS,
    MPI_JOBS,
    PADDLE_JOBS,
    PYTORCH_JOBS,
    TF_JOBS,
    XGBOOST_JOBS,
    Resource,
)
from sidings.api.training_operator import words


@dataclass(frozen=True)
class Framework:
    """One kind. ``container`` is the name of the container that trains, ``port_name`` that of its port."""

    resource: Resource
    replica_specs: str
    """The field of spec that maps roles to pods."""
    roles: tuple[str, ...]
    """In the order in which they are looked at; the first one present that is in ``leaders`` decides the job."""
    leaders: tuple[str, ...]
    container: str
    port_name: str
    port: int
    restart_policy: str
    """Where a role says none."""
    reports_selector: bool = False
    """Whether ``status.replicaStatuses`` carries the selector of each role, which the scale subresource reads."""
    worker_zero_leads: bool = False
    """Whether the first worker has the master role where no leader is declared."""

    @property
    def singular(self) -> str:
        return self.resource.kind.lower()

    @property
    def operator_name(self) -> str:
        """``pytorchjob-controller``: a label of every pod, and who reports events."""
        return f"{self.singular}-controller"

    def roles_of(self, job: Object) -> Iterator[tuple[str, Object]]:
        """(role, its replica spec) of a job: the known roles in their order, then any other as declared."""
        specs = job["spec"].get(self.replica_specs) or {}
        for role in (*self.roles, *(role for role in specs if role not in self.roles)):
            if specs.get(role) is not None:
                yield role, specs[role]

    def leader_of(self, job: Object) -> str | None:
        """The role whose success is the job's; None where all workers have to succeed."""
        return next((role for role, _ in self.roles_of(job) if role in self.leaders), None)


PYTORCH = Framework(
    PYTORCH_JOBS,
    "pytorchReplicaSpecs",
    (words.MASTER, words.WORKER),
    (words.MASTER,),
    container="pytorch",
    port_name="pytorchjob-port",
    port=23456,
    restart_policy=words.ON_FAILURE,
    reports_selector=True,
    worker_zero_leads=True,
)
TENSORFLOW = Framework(
    TF_JOBS,
    "tfReplicaSpecs",
    (words.CHIEF, words.MASTER, words.PARAMETER_SERVER, words.WORKER, words.EVALUATOR),
    (words.CHIEF, words.MASTER),
    container="tensorflow",
    port_name="tfjob-port",
    port=2222,
    restart_policy=words.NEVER,
    worker_zero_leads=True,
)
MPI = Framework(
    MPI_JOBS,
    "mpiReplicaSpecs",
    (words.LAUNCHER, words.WORKER),
    (words.LAUNCHER,),
    container="mpi",
    port_name="mpi-port",
    port=9999,
    restart_policy=words.NEVER,
)
XGBOOST = Framework(
    XGBOOST_JOBS,
    "xgbReplicaSpecs",
    (words.MASTER, words.WORKER),
    (words.MASTER,),
    container="xgboost",
    port_name="xgboostjob-port",
    port=9999,
    restart_policy=words.NEVER,
)
JAX = Framework(
    JAX_JOBS,
    "jaxReplicaSpecs",
    (words.WORKER,),
    (),
    container="jax",
    port_name="jaxjob-port",
    port=6666,
    restart_policy=words.NEVER,
    reports_selector=True,
    worker_zero_leads=True,
)
PADDLE = Framework(
    PADDLE_JOBS,
    "paddleReplicaSpecs",
    (words.MASTER, words.WORKER),
    (words.MASTER,),
    container="paddle",
    port_name="master",
    port=36543,
    restart_policy=words.ON_FAILURE,
    reports_selector=True,
)

ALL = (PYTORCH, TENSORFLOW, MPI, XGBOOST, JAX, PADDLE)


def of_object(obj: Object) -> Framework | None:
    """The framework of a job; None for an object that is no job of this family."""
    kind = (obj.get("apiVersion"), obj.get("kind"))
    return next((of for of in ALL if (of.resource.api_version, of.resource.kind) == kind), None)


def of_kind(resource: Resource) -> Framework | None:
    """The framework of a kind; None for one that is not of this family."""
    return next((framework for framework in ALL if framework.resource == resource), None)
