"""One old job as a TrainJob, with a runtime of its own where it needs one, and the list of what is otherwise.

PyTorchJob, XGBoostJob and JAXJob have a successor. TFJob and PaddleJob have no plug-in in Trainer, and an MPIJob's
launcher starts its workers in another way, so these have to be written anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sidings.answers.conversion import environment, run_policy, runtime
from sidings.answers.conversion.finding import Finding, NotConvertible, changed, lost
from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, TRAIN_JOBS, TRAINING_RUNTIMES
from sidings.api.trainer import words
from sidings.api.training_operator import defaults, framework
from sidings.api.training_operator.framework import JAX, PYTORCH, XGBOOST, Framework

POLICIES = {PYTORCH: "torch", XGBOOST: "xgboost", JAX: "jax"}
"""Framework -> mlPolicy of Trainer; the shared runtime is called ``<policy>-distributed``."""

_OWN_ANNOTATIONS = ("kubectl.kubernetes.io/last-applied-configuration",)


class Conversion(NamedTuple):
    """``documents`` in the order in which they have to be applied."""

    documents: list[Object]
    findings: list[Finding]


def convert(job: Object) -> Conversion:
    """Raises :class:`NotConvertible`."""
    of = _framework_of(job)
    spec = defaults.defaulted(of, job)["spec"]
    roles = dict(of.roles_of({"spec": spec}))
    template, restart_policy = _one_template(of, job, roles)
    main = defaults.main_container(of, {"template": template})
    name, namespace = job["metadata"]["name"], job["metadata"].get("namespace") or ""
    limits = run_policy.limits((job["spec"].get("runPolicy") or {}), restart_policy)
    own = runtime.is_needed(template, main, limits)
    policy = POLICIES[of]
    nodes = _nodes(of, spec, roles)
    trainer, env_findings = _trainer(of, name, spec, main, nodes)
    train_job = {
        "apiVersion": TRAIN_JOBS.api_version,
        "kind": TRAIN_JOBS.kind,
        "metadata": _metadata(job),
        "spec": {
            "runtimeRef": {"kind": TRAINING_RUNTIMES.kind, "name": name}
            if own
            else {"kind": CLUSTER_TRAINING_RUNTIMES.kind, "name": f"{policy}-distributed"},
            **limits.train_job,
            "trainer": trainer,
        },
    }
    documents = [runtime.build(name, namespace, policy, template, main, limits)] if own else []
    found = [
        *_findings(of, job, spec, roles),
        *env_findings,
        *run_policy.findings(job["spec"].get("runPolicy") or {}, restart_policy),
    ]
    return Conversion([*documents, train_job], found)


def _framework_of(job: Object) -> Framework:
    found = framework.of_object(job)
    if found is None:
        raise NotConvertible(f"{job['kind']} ({job['apiVersion']}) is no job of the Training Operator")
    if found not in POLICIES:
        raise NotConvertible(f"Trainer has no plug-in that does what a {job['kind']} does")
    return found


def _one_template(of: Framework, job: Object, roles: dict[str, Object]) -> tuple[Object, str]:
    """(the pod template that all roles share, as the user wrote it; their restart policy)."""
    written = [job["spec"][of.replica_specs][role]["template"] for role in roles]
    policies = {str(replica["restartPolicy"]) for replica in roles.values()}
    if any(template != written[0] for template in written):
        raise NotConvertible(
            f"{' and '.join(roles)} have different pod templates; all nodes of a TrainJob have the same"
        )
    if len(policies) > 1:
        raise NotConvertible(f"{' and '.join(roles)} have different restart policies")
    template: Object = written[0]
    return template, policies.pop()


def _metadata(job: Object) -> Object:
    old = job["metadata"]
    kept: Object = {key: old[key] for key in ("name", "namespace", "labels") if old.get(key)}
    annotations = {k: v for k, v in (old.get("annotations") or {}).items() if k not in _OWN_ANNOTATIONS}
    return kept | ({"annotations": annotations} if annotations else {})


def _nodes(of: Framework, spec: Object, roles: dict[str, Object]) -> int:
    """All pods of all roles; of elastic workers as many as there may be."""
    highest = (spec.get("elasticPolicy") or {}).get("maxReplicas") if of is PYTORCH else None
    counts = {role: int(replica["replicas"]) for role, replica in roles.items()}
    if highest is not None and "Worker" in counts:
        counts["Worker"] = int(highest)
    return sum(counts.values())


def _trainer(of: Framework, name: str, spec: Object, main: Object, nodes: int) -> tuple[Object, list[Finding]]:
    """``spec.trainer`` of the TrainJob, and what became of the environment."""
    found: list[Finding] = []
    env, reserved = environment.without_reserved(main.get("env") or ())
    found += [lost(f"env {dropped}", "Trainer sets it itself and refuses it in a job") for dropped in reserved]
    processes = spec.get("nprocPerNode") or ""
    if of is PYTORCH and not environment.has_launcher(main):
        env = [*environment.of_the_operator(name, nodes * max(int(processes) if processes.isdecimal() else 1, 1)), *env]
        text = (
            "Trainer sets none of MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK and the script is not started by "
            "torchrun; they are written into spec.trainer.env, change them together with numNodes"
        )
        found.append(changed("env", text))
    trainer: Object = {"numNodes": nodes}
    if processes.isdecimal():
        trainer["numProcPerNode"] = int(processes)
    trainer |= {key: main[key] for key in ("image", "command", "args") if main.get(key)}
    if env:
        trainer["env"] = env
    if main.get("resources"):
        trainer["resourcesPerNode"] = main["resources"]
    return trainer, found


def _findings(of: Framework, job: Object, spec: Object, roles: dict[str, Object]) -> Iterator[Finding]:
    name = job["metadata"]["name"]
    if job["spec"].get("nprocPerNode") in ("cpu", "gpu"):
        text = "Trainer 2.2 and later know numbers only; left out, it is the number of GPUs, else 1"
        yield lost("spec.nprocPerNode", text)
    if job["spec"].get("elasticPolicy") is not None:
        yield lost("spec.elasticPolicy", "Trainer has no elastic rendezvous; numNodes is the highest number of workers")
    path = f"spec.{of.replica_specs}"
    if of.leader_of({"spec": spec}) is not None and len(roles) > 1:
        yield changed(path, "all nodes have to finish; v1 ended the job with its Master")
    old = f"{name}-{next(iter(roles)).lower()}-0"
    yield changed(path, f"pods are found as {words.master_host(name)} and so on, no longer as {old}")
    yield changed(path, f"the container is called {words.NODE}, no longer {of.container}")
    if of is XGBOOST:
        yield changed("env", "the tracker is told by DMLC_TRACKER_URI and its relatives, no longer by MASTER_ADDR")
    if of is JAX:
        yield changed("env", "JAX_COORDINATOR_ADDRESS and its relatives, no longer COORDINATOR_ADDRESS")
