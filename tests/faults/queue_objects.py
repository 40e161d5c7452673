"""Two cohorts of queues with every policy of preemption, and random jobs of all sorts for them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from sidings.api.kueue import keys
from sidings.api.objects import Object
from sidings.api.resources import (
    CLUSTER_QUEUES,
    COHORTS,
    JOB_SETS,
    JOBS,
    LOCAL_QUEUES,
    PODS,
    PYTORCH_JOBS,
    RESOURCE_FLAVORS,
    TRAIN_JOBS,
    TRAINING_RUNTIMES,
    WORKLOAD_PRIORITY_CLASSES,
    Resource,
)

PRIORITIES = {"low": -10, "high": 100}
NAMES = ("a", "b", "c", "d")
RUNTIME = "queued"
LARGEST_QUOTA = 12


def surroundings(namespace: str) -> Iterator[tuple[Resource, Object]]:
    """Flavor, priorities, cohorts ``left`` and ``right``, queues a to d, and a runtime."""
    yield RESOURCE_FLAVORS, _object(RESOURCE_FLAVORS, "default", "", {})
    for name, value in PRIORITIES.items():
        made = _object(WORKLOAD_PRIORITY_CLASSES, name, "", {})
        del made["spec"]
        yield WORKLOAD_PRIORITY_CLASSES, made | {"value": value}
    yield COHORTS, _object(COHORTS, "left", "", {"resourceGroups": quota(2)})
    yield COHORTS, _object(COHORTS, "right", "", {"resourceGroups": quota(0)})
    reclaims = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    policies: dict[str, dict[str, Any]] = {
        "a": {"cohortName": "left", "preemption": reclaims},
        "b": {"cohortName": "left", "preemption": {"borrowWithinCohort": {"policy": "LowerPriority"}} | reclaims},
        "c": {"cohortName": "right", "preemption": reclaims, "queueingStrategy": "StrictFIFO"},
        "d": {"cohortName": "right", "preemption": {"withinClusterQueue": "LowerOrNewerEqualPriority"}},
    }
    for name, policy in policies.items():
        spec = {"namespaceSelector": {}, "resourceGroups": quota(4, borrowing=2 if name == "d" else None), **policy}
        yield CLUSTER_QUEUES, _object(CLUSTER_QUEUES, name, "", spec)
        yield LOCAL_QUEUES, _object(LOCAL_QUEUES, name, namespace, {"clusterQueue": name})
    yield TRAINING_RUNTIMES, _runtime(namespace)


def quota(cpu: int, borrowing: int | None = None) -> list[Object]:
    resource: Object = {"name": "cpu", "nominalQuota": str(cpu)}
    if borrowing is not None:
        resource["borrowingLimit"] = str(borrowing)
    return [{"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": [resource]}]}]


def random_queued(resource: Resource, name: str, namespace: str, rng: random.Random) -> Object:
    """A job of a kind for one of the queues, of a priority; at most ``LARGEST_QUOTA`` in all."""
    size = rng.randint(1, 3)
    specs: dict[Resource, Any] = {
        JOBS: lambda: _job_spec(size, rng),
        JOB_SETS: lambda: {
            "replicatedJobs": [
                {"name": "m", "replicas": rng.randint(1, 2), "template": {"spec": _job_spec(size, rng)}},
                {"name": "n", "replicas": 1, "template": {"spec": _job_spec(1, rng)}},
            ]
        },
        PYTORCH_JOBS: lambda: {
            "pytorchReplicaSpecs": {
                "Master": {"replicas": 1, "restartPolicy": "Never", "template": _template("pytorch", rng)},
                "Worker": {"replicas": size, "restartPolicy": "Never", "template": _template("pytorch", rng)},
            }
        },
        TRAIN_JOBS: lambda: {
            "runtimeRef": {"apiGroup": TRAINING_RUNTIMES.group, "kind": TRAINING_RUNTIMES.kind, "name": RUNTIME},
            "trainer": {"numNodes": size},
        },
    }
    return _object(resource, name, namespace, specs[resource](), _labels(rng))


def random_group(name: str, namespace: str, rng: random.Random) -> list[Object]:
    """The pods of a group."""
    size, labels = rng.randint(1, 2), {**_labels(rng), keys.POD_GROUP: name}
    made = []
    for index in range(size):
        pod = _object(PODS, f"{name}-{index}", namespace, _template("c", rng)["spec"], labels)
        pod["metadata"]["annotations"] = {keys.POD_GROUP_TOTAL: str(size)}
        made.append(pod)
    return made


def _labels(rng: random.Random) -> dict[str, str]:
    priority = rng.choice((*PRIORITIES, ""))
    return {keys.QUEUE_NAME: rng.choice(NAMES), **({keys.PRIORITY_CLASS: priority} if priority else {})}


def _job_spec(size: int, rng: random.Random) -> Object:
    spec = {
        "parallelism": size,
        "completions": size,
        "backoffLimit": rng.randint(0, 1),
        "template": _template("c", rng),
    }
    return spec | ({"completionMode": "Indexed"} if rng.random() < 0.5 else {})


def _template(container: str, rng: random.Random) -> Object:
    requests = {"cpu": rng.choice(("500m", "1", "1"))}
    containers = [{"name": container, "image": "i", "command": ["true"], "resources": {"requests": requests}}]
    return {"spec": {"restartPolicy": "Never", "containers": containers}}


def _runtime(namespace: str) -> Object:
    pod = {
        "spec": {"restartPolicy": "Never", "containers": [_template("node", random.Random(0))["spec"]["containers"][0]]}
    }
    metadata = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    group = {"name": "node", "template": {"metadata": metadata, "spec": {"backoffLimit": 0, "template": pod}}}
    spec = {"mlPolicy": {"numNodes": 1, "torch": {}}, "template": {"spec": {"replicatedJobs": [group]}}}
    return _object(TRAINING_RUNTIMES, RUNTIME, namespace, spec)


def _object(
    resource: Resource, name: str, namespace: str, spec: Object, labels: dict[str, str] | None = None
) -> Object:
    metadata: Object = {"name": name, **({"namespace": namespace} if namespace else {})}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, "spec": spec}
