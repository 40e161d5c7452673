"""What tells the six kinds apart, as data: roles, the container that counts, its port, names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
        specs = (job.get("spec") or {}).get(self.replica_specs) or {}  # no schema asks for a spec
        for role in (*self.roles, *(role for role in specs if role not in self.roles)):
            if specs.get(role) is not None:
                yield role, specs[role]

    def leader_of(self, job: Object) -> str | None:
        """The role whose success is the job's; None where all workers have to succeed."""
        return next((role for role, _ in self.roles_of(job) if role in self.leaders), None)


_M, _W, _L, _C = words.MASTER, words.WORKER, words.LAUNCHER, words.CHIEF
_TF = (_C, _M, words.PARAMETER_SERVER, _W, words.EVALUATOR)
_AGAIN, _NEVER = words.ON_FAILURE, words.NEVER
# fmt: off
# Columns: kind, field of spec, roles, leaders, container, its port's name, the port, restartPolicy; and the two flags.
PYTORCH = Framework(
    PYTORCH_JOBS, "pytorchReplicaSpecs", (_M, _W), (_M,), "pytorch", "pytorchjob-port", 23456, _AGAIN, True, True)
TENSORFLOW = Framework(TF_JOBS, "tfReplicaSpecs", _TF, (_C, _M), "tensorflow", "tfjob-port", 2222, _NEVER, False, True)
MPI = Framework(MPI_JOBS, "mpiReplicaSpecs", (_L, _W), (_L,), "mpi", "mpi-port", 9999, _NEVER, False, False)
XGBOOST = Framework(
    XGBOOST_JOBS, "xgbReplicaSpecs", (_M, _W), (_M,), "xgboost", "xgboostjob-port", 9999, _NEVER, False, False)
JAX = Framework(JAX_JOBS, "jaxReplicaSpecs", (_W,), (), "jax", "jaxjob-port", 6666, _NEVER, True, True)
PADDLE = Framework(PADDLE_JOBS, "paddleReplicaSpecs", (_M, _W), (_M,), "paddle", "master", 36543, _AGAIN, True, False)
# fmt: on

ALL = (PYTORCH, TENSORFLOW, MPI, XGBOOST, JAX, PADDLE)
_BY_KIND: Mapping[tuple[str, str], Framework] = {(of.resource.api_version, of.resource.kind): of for of in ALL}


def of_object(obj: Object) -> Framework | None:
    """The framework of a job; None for an object that is no job of this family."""
    return _BY_KIND.get((str(obj.get("apiVersion")), str(obj.get("kind"))))


def of_kind(resource: Resource) -> Framework | None:
    """The framework of a kind; None for one that is not of this family."""
    return next((framework for framework in ALL if framework.resource == resource), None)
