"""One old job as a TrainJob, with a runtime of its own where it needs one, and the list of what is otherwise.

PyTorchJob, XGBoostJob, JAXJob and the PaddleJob without a Master are so many equal pods, which is what a TrainJob is
about. The roles of a TFJob and of an MPIJob are different pods: ``roles`` has a part of the runtime for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sidings.answers.conversion import environment, roles, run_policy, runtime
from sidings.answers.conversion.finding import Finding, NotConvertible, changed, lost
from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, TRAIN_JOBS, TRAINING_RUNTIMES
from sidings.api.trainer import words
from sidings.api.trainer.rules.name_length import LONGEST, pod_name
from sidings.api.training_operator import defaults, framework, validation
from sidings.api.training_operator.framework import JAX, MPI, PADDLE, PYTORCH, XGBOOST, Framework
from sidings.api.training_operator.words import WORKER

POLICIES = {PYTORCH: "torch", XGBOOST: "xgboost", JAX: "jax"}
"""Framework -> mlPolicy of Trainer; the shared runtime is called ``<policy>-distributed``."""

_OWN_ANNOTATIONS = ("kubectl.kubernetes.io/last-applied-configuration",)


class Conversion(NamedTuple):
    """``documents`` in the order in which they have to be applied."""

    documents: list[Object]
    findings: list[Finding]


def convert(job: Object) -> Conversion:
    """Raises :class:`NotConvertible`."""
    of = framework.of_object(job)
    if of is None:
        raise NotConvertible(f"{job['kind']} ({job['apiVersion']}) is no job of the Training Operator")
    job = {**job, "spec": job.get("spec") or {}}
    _check(of, job)
    full = defaults.defaulted(of, job)
    if of in roles.FRAMEWORKS:
        made = roles.convert(of, full, job["spec"].get("runPolicy") or {})
        documents, found = [made.runtime, _train_job(job, "", made.limits, made.trainer)], made.findings
    else:
        documents, found = _of_equal_pods(of, job, full["spec"])
    _check_name(documents)
    return Conversion(documents, found)


def _of_equal_pods(of: Framework, job: Object, spec: Object) -> tuple[list[Object], list[Finding]]:
    replicas = dict(of.roles_of({"spec": spec}))
    template, restart_policy = _one_template(of, job, replicas)
    main = defaults.main_container(of, {"template": template})
    limits = run_policy.limits((job["spec"].get("runPolicy") or {}), restart_policy)
    policy = POLICIES.get(of, "")
    own = not policy or runtime.is_needed(template, main, limits)
    trainer, env_findings = _trainer(of, job["metadata"]["name"], spec, main, _nodes(of, spec, replicas))
    documents = [_train_job(job, "" if own else f"{policy}-distributed", limits.train_job, trainer)]
    if own:
        containers = [runtime.without(each) if each is main else each for each in template["spec"]["containers"]]
        pods = {**template, "spec": {**template["spec"], "containers": containers}}
        part = runtime.part(words.NODE, pods, runtime.without(main), limits, trains=True)
        label, ml_policy = policy or of.container, {"numNodes": 1, **({policy: {}} if policy else {})}
        documents.insert(0, runtime.build(job, label, ml_policy, limits.job_set, [part]))
    found = [
        *_findings(of, job, spec, replicas),
        *env_findings,
        *run_policy.findings(job["spec"].get("runPolicy") or {}, restart_policy),
    ]
    return documents, found


def _train_job(job: Object, shared_runtime: str, limits: Object, trainer: Object) -> Object:
    """``shared_runtime`` "": the one of its own name."""
    reference = {"kind": CLUSTER_TRAINING_RUNTIMES.kind, "name": shared_runtime}
    if not shared_runtime:
        reference = {"kind": TRAINING_RUNTIMES.kind, "name": job["metadata"]["name"]}
    return {
        "apiVersion": TRAIN_JOBS.api_version,
        "kind": TRAIN_JOBS.kind,
        "metadata": _metadata(job),
        "spec": {"runtimeRef": reference, **limits, "trainer": trainer},
    }


def _check(of: Framework, job: Object) -> None:
    """What the Training Operator would not have run has no successor either."""
    if not (job.get("metadata") or {}).get("name"):
        raise NotConvertible("metadata.name is missing")
    complaint = validation.mpi_complaint(job) if of is MPI else ""
    broken = [complaint] if complaint else [str(error) for error in validation.errors(of, job)]
    if broken:
        raise NotConvertible(f"the Training Operator refuses it: {broken[0]}")
    if of is PADDLE and of.leader_of(job) is not None:
        raise NotConvertible("Trainer has nothing like the servers and trainers of a PaddleJob with a Master")


def _check_name(documents: list[Object]) -> None:
    """Names grow: the pods of a TrainJob have longer ones."""
    job = documents[-1]
    name, trainer = job["metadata"]["name"], job["spec"]["trainer"]
    own = documents[0] if len(documents) > 1 else None
    parts = own["spec"]["template"]["spec"]["replicatedJobs"] if own else [{"name": words.NODE}]
    longest = max((pod_name(name, part["name"], 1, trainer["numNodes"]) for part in parts), key=len)
    if len(longest) > LONGEST:
        most = len(name) - (len(longest) - LONGEST)
        raise NotConvertible(f"its pods would be called {longest}: shorten metadata.name to {most} characters")


def _one_template(of: Framework, job: Object, replicas: Mapping[str, Object]) -> tuple[Object, str]:
    """(the pod template that all roles share, as the user wrote it; their restart policy)."""
    written = [job["spec"][of.replica_specs][role]["template"] for role in replicas]
    policies = {str(replica["restartPolicy"]) for replica in replicas.values()}
    for other in written[1:]:
        if where := _first_difference(written[0], other, "template"):
            names = " and ".join(replicas)
            raise NotConvertible(f"{names} have different pod templates ({where}); all nodes of a TrainJob have one")
    if len(policies) > 1:
        raise NotConvertible(f"{' and '.join(replicas)} have different restart policies")
    template: Object = written[0]
    return template, policies.pop()


def _first_difference(one: object, other: object, path: str) -> str:
    """The path of a field in which two templates differ; "" where there is none."""
    if isinstance(one, dict) and isinstance(other, dict):
        steps = [(f"{path}.{key}", one.get(key), other.get(key)) for key in (*one, *(k for k in other if k not in one))]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        steps = [(f"{path}[{index}]", *pair) for index, pair in enumerate(zip(one, other, strict=True))]
    else:
        return "" if one == other else path
    return next(filter(None, (_first_difference(a, b, where) for where, a, b in steps)), "")


def _metadata(job: Object) -> Object:
    old = job["metadata"]
    kept: Object = {key: old[key] for key in ("name", "namespace", "labels") if old.get(key)}
    annotations = {k: v for k, v in (old.get("annotations") or {}).items() if k not in _OWN_ANNOTATIONS}
    return kept | ({"annotations": annotations} if annotations else {})


def _nodes(of: Framework, spec: Object, replicas: Mapping[str, Object]) -> int:
    """All pods of all roles; of elastic workers as many as there may be."""
    highest = (spec.get("elasticPolicy") or {}).get("maxReplicas") if of in (PYTORCH, PADDLE) else None
    counts = {role: int(replica["replicas"]) for role, replica in replicas.items()}
    if highest is not None and WORKER in counts:
        counts[WORKER] = int(highest)
    return sum(counts.values())


def _trainer(of: Framework, name: str, spec: Object, main: Object, nodes: int) -> tuple[Object, list[Finding]]:
    """``spec.trainer`` of the TrainJob, and what became of the environment."""
    elastic = spec.get("elasticPolicy") or {}
    processes = str(spec.get("nprocPerNode") or elastic.get("nProcPerNode") or "")
    per_node = int(processes) if processes.isdecimal() and int(processes) else None
    told, found = _told(of, name, spec, main, nodes, per_node or 1)
    env, reserved = environment.split(main.get("env") or (), environment.RESERVED.get(of, ()))
    found += [lost(f"env {dropped}", "Trainer sets it itself and refuses it in a job") for dropped in reserved]
    env, overruled = environment.split(env, [variable["name"] for variable in told])
    found += [changed(f"env {dropped}", "left out: the Training Operator's value won over it") for dropped in overruled]
    trainer: Object = {"numNodes": nodes}
    if per_node is not None:
        trainer["numProcPerNode"] = per_node
    trainer |= {key: main[key] for key in ("image", "command", "args") if main.get(key)}
    trainer["env"] = [*told, *env]
    if main.get("resources"):
        trainer["resourcesPerNode"] = main["resources"]
    return trainer, found


def _told(
    of: Framework, name: str, spec: Object, main: Object, nodes: int, processes: int
) -> tuple[list[Object], list[Finding]]:
    """The variables of v1 that the script needs. PyTorch's workers without a Master were told none."""
    if of is PYTORCH:
        leads = of.leader_of({"spec": spec}) is not None
        if not leads or (environment.has_launcher(main) and not environment.mentions(main)):
            return environment.unbuffered(), []
    told = environment.of_the_operator(of, name, nodes, processes)
    names = ", ".join(variable["name"] for variable in told[1:])
    text = f"Trainer sets no {names}; they are written into spec.trainer.env, change them together with numNodes"
    return told, [changed("env", text)]


def _findings(of: Framework, job: Object, spec: Object, replicas: Mapping[str, Object]) -> Iterator[Finding]:
    name, template = job["metadata"]["name"], next(iter(replicas.values()))["template"]
    launched = environment.has_launcher(defaults.main_container(of, {"template": template}))
    if job["spec"].get("nprocPerNode") in ("cpu", "gpu"):
        text = "Trainer 2.2 and later know numbers only; left out, it is the number of GPUs, else 1"
        yield lost("spec.nprocPerNode", text)
    elif spec.get("nprocPerNode") == defaults.AUTO and launched:
        text = "auto is one process for each GPU, without any for each cpu of the resources; v1 left it to torchrun"
        yield changed("spec.nprocPerNode", text)
    if job["spec"].get("elasticPolicy") is not None:
        yield lost("spec.elasticPolicy", "Trainer has no elastic rendezvous; numNodes is the highest number of workers")
    path = f"spec.{of.replica_specs}"
    if of.leader_of({"spec": spec}) is not None and len(replicas) > 1:
        yield changed(path, "all nodes have to finish; v1 ended the job with its Master")
    old = f"{name}-{next(iter(replicas)).lower()}-0"
    yield changed(path, f"pods are found as {words.master_host(name)} and so on, no longer as {old}")
    yield changed(path, f"the container is called {words.NODE}, no longer {of.container}")
    if len(template["spec"]["containers"]) > 1:
        yield changed("env", "containers beside the main one are told nothing of their place; v1 told all of them")
