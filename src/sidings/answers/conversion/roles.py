"""Jobs whose roles are different pods: the runtime gets a replicatedJob for each role, with all that its pods say.

MPIJob: launcher and nodes are what ``mlPolicy.mpi`` is made for; what changes is the way between them, ssh in place of
``kubectl exec``. TFJob: Trainer has no plug-in for it, and needs none, because the ``TF_CONFIG`` of a part is the same
text for all its pods but for the index, which a variable of the pod can give.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidings.answers.conversion import run_policy, runtime
from sidings.answers.conversion.finding import Finding, changed, lost
from sidings.api.objects import Object
from sidings.api.trainer import words as trainer
from sidings.api.training_operator import defaults, words
from sidings.api.training_operator.framework import MPI, TENSORFLOW, Framework

FRAMEWORKS = (TENSORFLOW, MPI)
SSH_SERVER = {"command": ["/usr/sbin/sshd"], "args": ["-De"]}
"""What the nodes of an MPI job run; port and keys are their image's business."""
INDEX, CONFIG = "TASK_INDEX", "TF_CONFIG"
_GPU = "nvidia.com/gpu"


class Converted(NamedTuple):
    """``limits`` and ``trainer``: fields of the TrainJob's spec, and its ``spec.trainer``."""

    runtime: Object
    limits: Object
    trainer: Object
    findings: list[Finding]


def convert(of: Framework, job: Object, policy: Object) -> Converted:
    """``job`` has its defaults and breaks no rule of the Training Operator; ``policy`` is its runPolicy as written."""
    made, train, found = _tensorflow(job) if of is TENSORFLOW else _mpi(job)
    restarts = {str(replica["restartPolicy"]) for _, replica in of.roles_of(job)}
    found += [each for restart in sorted(restarts) for each in run_policy.findings(policy, restart)]
    path = f"spec.{of.replica_specs}"
    found.append(changed(path, f"the containers are called {trainer.NODE}, no longer {of.container}"))
    return Converted(made, run_policy.limits(policy, "").train_job, train, list(dict.fromkeys(found)))


def _tensorflow(job: Object) -> tuple[Object, Object, list[Finding]]:
    spec, name = job["spec"], job["metadata"]["name"]
    roles = dict(TENSORFLOW.roles_of(job))
    leader = TENSORFLOW.leader_of(job)
    training = words.WORKER if words.WORKER in roles else leader or next(iter(roles))
    cluster = {role.lower(): _addresses(name, role, replica) for role, replica in roles.items()}
    alone = sum(map(len, cluster.values())) == 1
    parts = []
    for role, replica in roles.items():
        container = _main(TENSORFLOW, replica)
        env = [*(container.get("env") or ()), *(() if alone else _config(cluster, role.lower()))]
        changes = {"env": env} if env else {}
        parts.append(_part(role.lower(), TENSORFLOW, replica, spec, changes, trains=role == training))
    success = {"operator": "All", "targetReplicatedJobs": [(leader or training).lower()]}
    count = int(roles[training]["replicas"])
    made = runtime.build(job, "tensorflow", {"numNodes": count}, {**_ttl(spec), "successPolicy": success}, parts)
    found = [changed(f"env {CONFIG}", "written into the runtime with the numbers of now: change them together")]
    found += [
        changed(f"spec.{TENSORFLOW.replica_specs}", f"pods are found as {cluster[training.lower()][0]} and so on")
    ]
    if leader is None and spec.get("successPolicy") != "AllWorkers":
        found.append(changed("spec.successPolicy", "all workers have to finish; v1 ended the job with worker 0"))
    if spec.get("enableDynamicWorker"):
        found.append(lost("spec.enableDynamicWorker", f"{CONFIG} names the workers that there are from the start"))
    return made, {"numNodes": count}, found


def _addresses(name: str, role: str, replica: Object) -> list[str]:
    """Host and port of each pod of a role."""
    ports = _main(TENSORFLOW, replica)["ports"]
    port = next(port["containerPort"] for port in ports if port.get("name") == TENSORFLOW.port_name)
    part = role.lower()
    return [f"{name}-{part}-0-{number}.{name}:{port}" for number in range(int(replica["replicas"]))]


def _config(cluster: Mapping[str, Sequence[str]], part: str) -> list[Object]:
    """``TF_CONFIG`` as a text that the pod completes: ``$(TASK_INDEX)`` is its number in its part."""
    task = {"cluster": cluster, "task": {"type": part, "index": INDEX}, "environment": "cloud"}
    text = json.dumps(task, separators=(",", ":")).replace(f'"{INDEX}"', f"$({INDEX})")
    return [
        {"name": INDEX, "valueFrom": {"fieldRef": {"fieldPath": trainer.COMPLETION_INDEX_PATH}}},
        {"name": CONFIG, "value": text},
    ]


def _mpi(job: Object) -> tuple[Object, Object, list[Finding]]:
    spec = job["spec"]
    roles = dict(MPI.roles_of(job))
    launcher = roles[words.LAUNCHER]
    nodes = roles.get(words.WORKER) or {**launcher, "replicas": 0}
    limits = (_main(MPI, launcher).get("resources") or {}).get("limits") or {}
    as_node = _GPU in limits
    parts = [
        _part(trainer.NODE, MPI, nodes, spec, SSH_SERVER, trains=False),
        _part(trainer.LAUNCHER, MPI, launcher, spec, {}, trains=True),
    ]
    parts[1]["dependsOn"] = [{"name": trainer.NODE, "status": "Ready"}]
    policy = {"numNodes": 1, "mpi": {"runLauncherAsNode": as_node}}
    success = {"operator": "All", "targetReplicatedJobs": [trainer.LAUNCHER]}
    made = runtime.build(job, "mpi", policy, {**_ttl(spec), "successPolicy": success}, parts)
    slots = int(spec["slotsPerWorker"])
    train = {"numNodes": int(nodes["replicas"]) + as_node, "numProcPerNode": slots}
    name = job["metadata"]["name"]
    host = f"{name}-{trainer.NODE}-0-0.{name}"
    return (
        made,
        train,
        [
            changed(
                f"spec.{MPI.replica_specs}.Worker",
                "workers run sshd in place of what they ran, and the launcher comes by ssh instead of kubectl exec: "
                "their image needs sshd, set up as Trainer's MPI images have it",
            ),
            changed(
                f"spec.{MPI.replica_specs}", f"workers are found as {host} and so on, no longer as {name}-worker-0"
            ),
        ],
    )


def _part(name: str, of: Framework, replica: Object, spec: Object, changes: Object, *, trains: bool) -> Object:
    """The replicatedJob of a role; ``changes`` are fields of its main container."""
    template, old = replica["template"], _main(of, replica)
    main = {**old, **changes}
    containers = [main if container is old else container for container in template["spec"]["containers"]]
    pods = {**template, "spec": {**template["spec"], "containers": containers}}
    limits = run_policy.limits(spec["runPolicy"], str(replica["restartPolicy"]))
    count = int(replica["replicas"])
    limits.job.update({"parallelism": count, "completions": count})
    return runtime.part(name, pods, main, limits, trains=trains)


def _main(of: Framework, replica: Object) -> Object:
    return defaults.main_container(of, replica)


def _ttl(spec: Object) -> Object:
    return run_policy.limits(spec["runPolicy"], "").job_set
