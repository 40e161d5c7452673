"""Random JobSets, Jobs, CronJobs and TrainJobs: small, with every policy that changes what may happen."""

from __future__ import annotations

import itertools
import random
from typing import Any

from sidings.api.feature_gates import FeatureGates, Gate
from sidings.api.jobset.validation import MAX_INT32
from sidings.api.objects import Object
from sidings.api.resources import CRON_JOBS, JOB_SETS, JOBS, TRAIN_JOBS, TRAINING_RUNTIMES, Resource

RUNTIME = "small"


def random_jobset(name: str, namespace: str, rng: random.Random, gates: FeatureGates) -> Object:
    if Gate.IN_PLACE_RESTART in gates and rng.random() < 0.4:
        return _in_place(name, namespace, rng)
    groups = [_group(letter, rng) for letter in "abc"[: rng.randint(1, 3)]]
    spec: dict[str, Any] = {"replicatedJobs": groups}
    if rng.random() < 0.2:
        spec["startupPolicy"] = {"startupPolicyOrder": "InOrder"}
    else:
        for earlier, group in itertools.pairwise(groups):
            if rng.random() < 0.3:
                group["dependsOn"] = [{"name": earlier["name"], "status": rng.choice(("Ready", "Complete"))}]
    if rng.random() < 0.8:
        spec["failurePolicy"] = _failure_policy(rng, gates)
    if rng.random() < 0.2:
        spec["successPolicy"] = {"operator": "Any"}
    if rng.random() < 0.2:
        spec["successPolicy"] = {"operator": "All", "targetReplicatedJobs": [groups[-1]["name"]]}
    if rng.random() < 0.2:
        spec["ttlSecondsAfterFinished"] = rng.choice((0, 30))
    spec["suspend"] = rng.random() < 0.2
    return _object(JOB_SETS, name, namespace, spec)


def _in_place(name: str, namespace: str, rng: random.Random) -> Object:
    """Containers start again in their pods. Groups that wait for others never reach the barrier, so none does."""
    groups = []
    for letter in "ab"[: rng.randint(1, 2)]:
        size = rng.randint(1, 2)
        spec = {"parallelism": size, "completions": size, "backoffLimit": MAX_INT32, "podReplacementPolicy": "Failed"}
        spec["template"] = _pod_template(rng, "OnFailure")
        groups.append({"name": letter, "template": {"spec": spec}})
    policy = {"maxRestarts": rng.choice((2, 50)), "restartStrategy": "InPlaceRestart"}
    return _object(JOB_SETS, name, namespace, {"replicatedJobs": groups, "failurePolicy": policy})


def random_job(name: str, namespace: str, rng: random.Random) -> Object:
    """One that nobody owns."""
    spec = _job_spec(rng)
    spec.setdefault("completionMode", rng.choice(("Indexed", "NonIndexed")))
    if spec["completionMode"] == "NonIndexed":
        spec.pop("backoffLimitPerIndex", None)
        spec.pop("maxFailedIndexes", None)
        if "podFailurePolicy" in spec:
            spec["podFailurePolicy"]["rules"] = [_FAIL_JOB]
    elif rng.random() < 0.2:
        spec["successPolicy"] = {"rules": [{"succeededIndexes": "0"}]}
    if rng.random() < 0.2:
        spec["activeDeadlineSeconds"] = rng.choice((5, 300))
    if rng.random() < 0.2:
        spec["ttlSecondsAfterFinished"] = rng.choice((0, 30))
    return _object(JOBS, name, namespace, spec)


def random_cron_job(name: str, namespace: str, rng: random.Random) -> Object:
    spec: dict[str, Any] = {
        "schedule": rng.choice(("*/3 * * * *", "*/7 * * * *", "@every 2m")),
        "concurrencyPolicy": rng.choice(("Allow", "Forbid", "Replace")),
        "successfulJobsHistoryLimit": rng.randint(0, 2),
        "failedJobsHistoryLimit": rng.randint(0, 2),
        "jobTemplate": {"spec": {"backoffLimit": rng.randint(0, 1), "template": _pod_template(rng)}},
    }
    if rng.random() < 0.3:
        spec["startingDeadlineSeconds"] = rng.choice((10, 120))
    return _object(CRON_JOBS, name, namespace, spec)


def random_train_job(name: str, namespace: str, rng: random.Random) -> Object:
    """Of the runtime that :func:`runtime` makes."""
    reference = {"apiGroup": TRAINING_RUNTIMES.group, "kind": TRAINING_RUNTIMES.kind, "name": RUNTIME}
    spec = {"runtimeRef": reference, "suspend": rng.random() < 0.2, "trainer": {"numNodes": rng.randint(1, 2)}}
    return _object(TRAIN_JOBS, name, namespace, spec)


def runtime(namespace: str) -> Object:
    """Trainers that are restarted once."""
    metadata = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    containers = [{"name": "node", "image": "img:1"}]
    pod = {"spec": {"restartPolicy": "Never", "containers": containers}}
    group = {"name": "node", "template": {"metadata": metadata, "spec": {"backoffLimit": 0, "template": pod}}}
    job_set = {"spec": {"failurePolicy": {"maxRestarts": 1}, "replicatedJobs": [group]}}
    spec = {"mlPolicy": {"numNodes": 1, "torch": {}}, "template": job_set}
    return _object(TRAINING_RUNTIMES, RUNTIME, namespace, spec)


def _object(resource: Resource, name: str, namespace: str, spec: Object) -> Object:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, "spec": spec}


def _failure_policy(rng: random.Random, gates: FeatureGates) -> Object:
    policy: dict[str, Any] = {
        "maxRestarts": rng.randint(0, 3),
        "restartStrategy": rng.choice(("Recreate", "BlockingRecreate")),
    }
    if rng.random() < 0.4:
        actions = ["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"]
        if Gate.RESTART_JOB in gates:
            actions += ["RestartJob", "RestartJobAndIgnoreMaxRestarts"]
        rule = {"name": "r", "action": rng.choice(actions)}
        reasons = rng.choice((None, ["PodFailurePolicy"], ["BackoffLimitExceeded", "FailedIndexes"]))
        policy["rules"] = [rule | ({"onJobFailureReasons": reasons} if reasons else {})]
    return policy


def _group(name: str, rng: random.Random) -> Object:
    return {"name": name, "replicas": rng.randint(1, 2), "template": {"spec": _job_spec(rng)}}


_FAIL_JOB = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
_IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
_FAIL_INDEX = {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [42]}}


def _job_spec(rng: random.Random) -> dict[str, Any]:
    size = rng.randint(1, 2)
    spec: dict[str, Any] = {
        "parallelism": size,
        "completions": size,
        "backoffLimit": rng.randint(0, 2),
        "template": _pod_template(rng),
    }
    if rng.random() < 0.2:
        spec["podReplacementPolicy"] = "Failed"
    if rng.random() < 0.3:
        spec["template"]["spec"]["restartPolicy"] = "Never"
        spec.pop("podReplacementPolicy", None)
        spec["podFailurePolicy"] = {"rules": [rng.choice((_FAIL_JOB, _IGNORE))]}
    kind = rng.random()
    if kind < 0.1:
        spec["completionMode"] = "NonIndexed"
    elif kind < 0.3:
        spec["template"]["spec"]["restartPolicy"] = "Never"
        spec["backoffLimitPerIndex"] = rng.randint(0, 1)
        del spec["backoffLimit"]
        if rng.random() < 0.5:
            spec["maxFailedIndexes"] = rng.randint(0, size)
        if "podFailurePolicy" in spec and rng.random() < 0.5:
            spec["podFailurePolicy"] = {"rules": [_FAIL_INDEX]}
    return spec


def _pod_template(rng: random.Random, *policies: str) -> Object:
    containers = [{"name": "main", "image": "img:1"}]
    return {"spec": {"restartPolicy": rng.choice(policies or ("Never", "OnFailure")), "containers": containers}}
