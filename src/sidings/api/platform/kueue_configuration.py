"""What the operator of Kueue makes of its object: the configuration of Kueue's manager (kueue-operator 1.3).

Whatever ``spec.config`` says, only namespaces labelled ``kueue.openshift.io/managed: "true"`` are managed: a job that
names a queue elsewhere runs as if there were none.
"""

from __future__ import annotations

from typing import Any

import yaml

from sidings.api.kueue import configuration
from sidings.api.objects import Object, controller_ref
from sidings.api.resources import KUEUE_OPERATORS

MANAGED_LABEL = "kueue.openshift.io/managed"
FRAMEWORKS = {
    "AppWrapper": "workload.codeflare.dev/appwrapper",
    "BatchJob": "batch/job",
    "Deployment": "deployment",
    "JaxJob": "kubeflow.org/jaxjob",
    "JobSet": "jobset.x-k8s.io/jobset",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/leaderworkerset",
    "MPIJob": "kubeflow.org/mpijob",
    "PaddleJob": "kubeflow.org/paddlejob",
    "Pod": "pod",
    "PyTorchJob": "kubeflow.org/pytorchjob",
    "RayCluster": "ray.io/raycluster",
    "RayJob": "ray.io/rayjob",
    "RayService": "ray.io/rayservice",
    "SparkApplication": "sparkoperator.k8s.io/sparkapplication",
    "StatefulSet": "statefulset",
    "TFJob": "kubeflow.org/tfjob",
    "TrainJob": "trainer.kubeflow.org/trainjob",
    "XGBoostJob": "kubeflow.org/xgboostjob",
}
"""The operator's words -> Kueue's."""
NEVER = "8760h"
"""How long pods may take to get ready where gang scheduling is off: a year."""


def config_map(operator: Object) -> Object:
    """The ConfigMap that the manager reads, owned by the operator's object."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": configuration.NAME,
            "namespace": configuration.NAMESPACE,
            "ownerReferences": [
                controller_ref({"apiVersion": KUEUE_OPERATORS.api_version, "kind": KUEUE_OPERATORS.kind, **operator})
            ],
        },
        "data": {configuration.KEY: yaml.safe_dump(_document(operator), sort_keys=True)},
    }


def _document(operator: Object) -> dict[str, Any]:
    config = (operator.get("spec") or {}).get("config") or {}
    policy = (config.get("preemption") or {}).get("preemptionPolicy")
    return {
        "apiVersion": f"{configuration.GROUP}/v1beta2",
        "kind": "Configuration",
        "integrations": _integrations(config.get("integrations") or {}),
        "managedJobsNamespaceSelector": {"matchLabels": {MANAGED_LABEL: "true"}},
        "manageJobsWithoutQueueName": (config.get("workloadManagement") or {}).get("labelPolicy") == "None",
        **_gangs(config.get("gangScheduling") or {}),
        **(
            {"fairSharing": {"preemptionStrategies": list(configuration.STRATEGIES)}} if policy == "FairSharing" else {}
        ),
    }


def _integrations(wanted: dict[str, Any]) -> dict[str, Any]:
    """Its API demands a list of frameworks; an object that is older than that has none."""
    made: dict[str, Any] = {}
    if "frameworks" in wanted:
        made["frameworks"] = [FRAMEWORKS[name] for name in wanted["frameworks"]]
    if "externalFrameworks" in wanted:
        made["externalFrameworks"] = [
            f"{each['resource']}.{each['version']}.{each['group']}" for each in wanted["externalFrameworks"]
        ]
    if "labelKeysToCopy" in wanted:
        made["labelKeysToCopy"] = [each["key"] for each in wanted["labelKeysToCopy"]]
    return made


def _gangs(gang: dict[str, Any]) -> dict[str, Any]:
    """``waitForPodsReady``: Kueue's defaults unless another policy is asked for."""
    if gang.get("policy") == "None":
        return {"waitForPodsReady": {"timeout": NEVER}}
    if gang.get("policy") != "ByWorkload":
        return {}
    by_workload = gang.get("byWorkload") or {}
    waiting: dict[str, Any] = {"blockAdmission": by_workload.get("admission") == "Sequential"}
    for ours, theirs in (("timeoutSeconds", "timeout"), ("recoveryTimeoutSeconds", "recoveryTimeout")):
        if ours in by_workload:
            waiting[theirs] = f"{by_workload[ours]}s"
    if "requeuingStrategy" in by_workload:
        waiting["requeuingStrategy"] = by_workload["requeuingStrategy"]
    return {"waitForPodsReady": waiting}
