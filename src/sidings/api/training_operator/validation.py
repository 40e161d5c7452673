"""What the validating webhooks refuse (pkg/webhooks/*, 1.9.4), in their words.

MPIJob has no webhook: its controller judges and tells the result in an event (:func:`mpi_complaint`).
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import names
from sidings.api.fields import FieldError, forbidden, invalid, not_supported, required
from sidings.api.objects import Object
from sidings.api.training_operator import words
from sidings.api.training_operator.framework import JAX, MPI, PYTORCH, TENSORFLOW, XGBOOST, Framework

NAME = "should match: "
MANAGERS = (words.OWN_MANAGER, words.MULTIKUEUE)
DEPRECATED_PROCESSES = "spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead"
_ELASTIC_PROCESSES = "spec.elasticPolicy.nProcPerNode"


def errors(framework: Framework, job: Object) -> list[FieldError]:
    """Every rule that ``job`` breaks; none for MPIJobs."""
    if framework is MPI:
        return []
    return [*_name(job), *_run_policy(framework, job), *_replicas(framework, job), *_elastic(framework, job)]


def update_errors(framework: Framework, new: Object, old: Object) -> list[FieldError]:
    """Rules on a change. Upstream compares a PyTorchJob with itself by mistake; the rule it means is applied."""
    if framework in (MPI, JAX):
        return []
    before, after = (_managed_by(job) for job in (old, new))
    return [invalid("spec.runPolicy.managedBy", after, "field is immutable")] if before != after else []


def warnings(framework: Framework, job: Object) -> list[str]:
    elastic = (job.get("spec") or {}).get("elasticPolicy") or {}
    return [DEPRECATED_PROCESSES] if framework is PYTORCH and elastic.get("nProcPerNode") is not None else []


def mpi_complaint(job: Object) -> str:
    """Why an MPIJob cannot be run (``validateMPIJob``); empty where it can."""
    prefix = "MPIReplicaSpec is not valid: "
    specs = job["spec"].get(MPI.replica_specs) or {}
    for role, replica in specs.items():
        containers = (((replica or {}).get("template") or {}).get("spec") or {}).get("containers") or []
        if not containers:
            return f"{prefix}containers definition expected in {role}"
        for container in containers:
            if not container.get("image"):
                return f"{prefix}Image is undefined in the container of {role}"
            if not container.get("name"):
                return f"{prefix}ImageName is undefined in the container of {role}"
    launcher = specs.get(words.LAUNCHER)
    if launcher is None:
        return f"{prefix}Master ReplicaSpec must be present"
    if (launcher.get("replicas") or 1) != 1:
        return f"{prefix}There must be only 1 launcher replica"
    return ""


def _name(job: Object) -> Iterator[FieldError]:
    name = job["metadata"].get("name") or ""
    if complaints := names.dns1035_label(name):
        yield invalid("metadata.name", name, NAME + ",".join(complaints))


def _managed_by(job: Object) -> str | None:
    value: str | None = ((job.get("spec") or {}).get("runPolicy") or {}).get("managedBy")
    return value


def _run_policy(framework: Framework, job: Object) -> Iterator[FieldError]:
    managed_by = _managed_by(job)
    if framework is not JAX and managed_by is not None and managed_by not in MANAGERS:
        yield not_supported("spec.runPolicy.managedBy", managed_by, MANAGERS)


def _replicas(framework: Framework, job: Object) -> Iterator[FieldError]:
    path = f"spec.{framework.replica_specs}"
    specs = (job.get("spec") or {}).get(framework.replica_specs)
    if specs is None:
        yield required(path, "must be required")
        return
    leaders = [role for role in specs if role in framework.leaders]
    if framework is TENSORFLOW and len(leaders) > 1:
        yield forbidden(path, "must not have more than 1 Chief or Master role")
    if framework is XGBOOST and not leaders:
        yield required(f"{path}[{words.MASTER}]", "must be present")
    for role, replica in specs.items():
        at = f"{path}[{role}]"
        if framework is not TENSORFLOW and role not in framework.roles:
            yield not_supported(at, role, framework.roles)
        count = (replica or {}).get("replicas")
        if framework in (PYTORCH, XGBOOST) and role == words.MASTER and count != 1:
            yield forbidden(f"{at}.replicas", "must be 1")
        if framework is PYTORCH and role == words.WORKER and count is not None and count < 1:
            yield forbidden(f"{at}.replicas", "must be at least 1")
        yield from _containers(framework, replica or {}, f"{at}.template.spec.containers")


def _containers(framework: Framework, replica: Object, path: str) -> Iterator[FieldError]:
    containers = ((replica.get("template") or {}).get("spec") or {}).get("containers") or []
    if not containers:
        yield required(path, "must be specified")
    for index, container in enumerate(containers):
        if not container.get("image"):
            yield required(f"{path}[{index}].image", "must be required")
    if not any(container.get("name") == framework.container for container in containers):
        yield required(path, f"must have at least one container with name {framework.container}")


def _elastic(framework: Framework, job: Object) -> Iterator[FieldError]:
    spec = job.get("spec") or {}
    elastic = spec.get("elasticPolicy")
    if framework is not PYTORCH or elastic is None:
        return
    if (spec.get(framework.replica_specs) or {}).get(words.WORKER) is None:
        path = f"spec.{framework.replica_specs}[{words.WORKER}]"
        yield required(path, "must be configured if elastic policy is used")
    if elastic.get("nProcPerNode") is not None and spec.get("nprocPerNode") is not None:
        yield forbidden(_ELASTIC_PROCESSES, "must not be used with spec.nprocPerNode")
