"""Random JobSets: small, with every policy that changes what may happen."""

from __future__ import annotations

import itertools
import random
from typing import Any

from sidings.api.objects import Object


def random_jobset(name: str, namespace: str, rng: random.Random) -> Object:
    groups = [_group(letter, rng) for letter in "abc"[: rng.randint(1, 3)]]
    spec: dict[str, Any] = {"replicatedJobs": groups}
    if rng.random() < 0.2:
        spec["startupPolicy"] = {"startupPolicyOrder": "InOrder"}
    else:
        for earlier, group in itertools.pairwise(groups):
            if rng.random() < 0.3:
                group["dependsOn"] = [{"name": earlier["name"], "status": rng.choice(("Ready", "Complete"))}]
    if rng.random() < 0.8:
        spec["failurePolicy"] = _failure_policy(rng)
    if rng.random() < 0.2:
        spec["successPolicy"] = {"operator": "Any"}
    if rng.random() < 0.2:
        spec["successPolicy"] = {"operator": "All", "targetReplicatedJobs": [groups[-1]["name"]]}
    if rng.random() < 0.2:
        spec["ttlSecondsAfterFinished"] = rng.choice((0, 30))
    spec["suspend"] = rng.random() < 0.2
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def _failure_policy(rng: random.Random) -> Object:
    policy: dict[str, Any] = {
        "maxRestarts": rng.randint(0, 3),
        "restartStrategy": rng.choice(("Recreate", "BlockingRecreate")),
    }
    if rng.random() < 0.3:
        action = rng.choice(("FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"))
        policy["rules"] = [{"name": "r", "action": action, "onJobFailureReasons": ["PodFailurePolicy"]}]
    return policy


def _group(name: str, rng: random.Random) -> Object:
    size = rng.randint(1, 2)
    job_spec: dict[str, Any] = {
        "parallelism": size,
        "completions": size,
        "backoffLimit": rng.randint(0, 2),
        "template": {
            "spec": {
                "restartPolicy": rng.choice(("Never", "OnFailure")),
                "containers": [{"name": "main", "image": "img:1"}],
            }
        },
    }
    if rng.random() < 0.2:
        job_spec["podReplacementPolicy"] = "Failed"
    if rng.random() < 0.2:
        job_spec["template"]["spec"]["restartPolicy"] = "Never"
        exit_codes = {"operator": "In", "values": [42]}
        job_spec["podFailurePolicy"] = {"rules": [{"action": "FailJob", "onExitCodes": exit_codes}]}
    if rng.random() < 0.1:
        job_spec["completionMode"] = "NonIndexed"
    return {"name": name, "replicas": rng.randint(1, 2), "template": {"spec": job_spec}}
