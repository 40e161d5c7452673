"""What the operator fills in, in its memory: ``kubectl get`` never shows these defaults.

There is no mutating webhook upstream (pkg/apis/kubeflow.org/v1/*_defaults.go, 1.9.4), so a controller works on
:func:`defaulted`, a copy.
"""

from __future__ import annotations

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.training_operator import words
from sidings.api.training_operator.framework import MPI, PYTORCH, Framework

AUTO = "auto"


def defaulted(framework: Framework, job: Object) -> Object:
    """``job`` with everything that it leaves out; ``job`` itself is not changed."""
    full: Object = objects.copy_of(job)
    spec = full["spec"]
    for role, replica in framework.roles_of(full):
        replica["replicas"] = pods_of(framework, role, replica)
        replica["restartPolicy"] = replica.get("restartPolicy") or framework.restart_policy
        _expose_port(framework, replica)
    run_policy = spec.setdefault("runPolicy", {})
    if framework is MPI:
        spec.setdefault("slotsPerWorker", 1)
        spec["cleanPodPolicy"] = run_policy.get("cleanPodPolicy") or spec.get("cleanPodPolicy") or "None"
        run_policy["cleanPodPolicy"] = spec["cleanPodPolicy"]
    run_policy["cleanPodPolicy"] = run_policy.get("cleanPodPolicy") or "None"
    if framework is PYTORCH:
        _torch(spec)
    return full


def pods_of(framework: Framework, role: str, replica: Object) -> int:
    """How many pods a role asks for."""
    count = replica.get("replicas")
    if count is None:
        return 0 if framework is MPI and role == words.WORKER else 1
    return int(count)


def main_container(framework: Framework, replica: Object) -> Object:
    """The container that trains; where none has the name, the first one."""
    containers = replica["template"]["spec"]["containers"]
    found: Object = next((c for c in containers if c.get("name") == framework.container), containers[0])
    return found


def _expose_port(framework: Framework, replica: Object) -> None:
    container = main_container(framework, replica)
    ports = container.get("ports") or []
    if not any(port.get("name") == framework.port_name for port in ports):
        container["ports"] = [*ports, {"name": framework.port_name, "containerPort": framework.port}]


def _torch(spec: Object) -> None:
    elastic = spec.get("elasticPolicy")
    if spec.get("nprocPerNode") is None and (elastic or {}).get("nProcPerNode") is None:
        spec["nprocPerNode"] = AUTO
    workers = ((spec.get(PYTORCH.replica_specs) or {}).get(words.WORKER) or {}).get("replicas")
    if elastic is None or workers is None:
        return
    low, high = elastic.get("minReplicas"), elastic.get("maxReplicas")
    elastic["minReplicas"] = next(n for n in (low, high, workers) if n is not None)
    elastic["maxReplicas"] = next(n for n in (high, low, workers) if n is not None)
