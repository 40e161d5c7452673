"""The cases of ``golden.yaml`` against the pure pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.training_operator import framework
from sidings.controllers.pytorchjob.operator import PyTorchOperator
from tests.controllers.training_operator.cluster import Cluster, job_of, replica

CASES = yaml.safe_load((Path(__file__).parent / "golden.yaml").read_text())


def job(case: Object) -> Object:
    port = {"name": "pytorchjob-port", "containerPort": case["port"]} if "port" in case else None
    policy = {"restartPolicy": case["policy"]} if "policy" in case else {}
    roles = {
        role: replica("pytorch", case[role.lower()], port=port, **policy)
        for role in ("Master", "Worker")
        if role.lower() in case
    }
    for role in roles.values():
        containers = role["template"]["spec"]["containers"]
        if "env" in case:
            containers[0]["env"] = case["env"]
        if case.get("sidecar"):
            containers.append({"name": "sidecar", "image": "img:1"})
    return job_of(PyTorchOperator(), roles, **case.get("spec", {}))


def act(cluster: Cluster, step: Object) -> None:
    match step:
        case {"set": states}:
            for name, words in states.items():
                phase, code, restarts = (*words.split(), *"~~")[:3]
                cluster.set(
                    name, phase, code=None if code == "~" else int(code), restarts=int(restarts.replace("~", "0"))
                )
            cluster.settle()
        case {"patch": {"runPolicy": changes}}:
            cluster.patch(runPolicy={**cluster.job["spec"].get("runPolicy", {}), **changes})
        case {"scale": counts}:
            roles = objects.copy_of(cluster.job["spec"][framework.PYTORCH.replica_specs])
            for role, count in counts.items():
                roles[role]["replicas"] = count
            cluster.patch(**{framework.PYTORCH.replica_specs: roles})
        case {"wait": seconds}:
            cluster.wait(seconds)
        case _:
            raise AssertionError(f"no such step: {step}")


def seen(cluster: Cluster, expected: Object, remembered: Any) -> Object:
    """The facts that ``expected`` speaks of, as the cluster has them."""
    status = cluster.status
    names = [name for pod in cluster.pods for name, _ in cluster.env(pod)]
    facts = {
        "pods": lambda: sorted(cluster.pods),
        "services": lambda: sorted(cluster.services),
        "service_ports": lambda: sorted({p["port"] for s in cluster.services.values() for p in s["spec"]["ports"]}),
        "env": lambda: {
            pod: {name: dict(cluster.env(pod)).get(name) for name in wanted} for pod, wanted in expected["env"].items()
        },
        "sidecar_env": lambda: {name: dict(cluster.env("master-0", 1))[name] for name in expected["sidecar_env"]},
        "no_env": lambda: [name for name in expected["no_env"] if name not in names],
        "once": lambda: expected["once"] if names.count(expected["once"]) == len(cluster.pods) else names,
        "twice": lambda: expected["twice"] if names.count(expected["twice"]) == 2 * len(cluster.pods) else names,
        "init": lambda: {pod: len(cluster.pods[pod]["spec"].get("initContainers") or ()) for pod in expected["init"]},
        "role": lambda: [
            pod for pod, obj in cluster.pods.items() if "training.kubeflow.org/job-role" in objects.labels_of(obj)
        ],
        "conditions": lambda: [condition.split("/")[0] for condition in cluster.conditions],
        "reason": lambda: {c["type"]: c["reason"] for c in status["conditions"] if c["type"] in expected["reason"]},
        "message": lambda: {type_: cluster.message(type_) for type_ in expected["message"]},
        "state": lambda: status["conditions"][-1]["type"],
        "replicas": lambda: {
            role: {key: value for key, value in entry.items() if key != "selector"}
            for role, entry in status["replicaStatuses"].items()
        },
        "started": lambda: "startTime" in status,
        "completed": lambda: "completionTime" in status,
        "same": lambda: status["startTime"] == remembered,
    }
    return {fact: facts[fact]() for fact in expected}


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case["case"])))
def test_golden(case: Object) -> None:
    cluster = Cluster(PyTorchOperator(), job(case)).settle()
    remembered = None
    for step in case["steps"]:
        if "expect" in step:
            assert seen(cluster, step["expect"], remembered) == step["expect"]
        elif "remember" in step:
            remembered = cluster.status[step["remember"]]
        else:
            act(cluster, step)
