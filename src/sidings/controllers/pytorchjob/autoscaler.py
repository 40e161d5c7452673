"""The HorizontalPodAutoscaler of an elastic PyTorchJob with metrics (pkg/controller.v1/pytorch/hpa.go, 1.9.4).

It follows the job's policy and is not there while the job is suspended. Nothing scales by metrics here; the status says
so, and how to scale by hand.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import timestamps
from sidings.api.objects import Object, controller_ref, name_of
from sidings.api.resources import AUTOSCALERS, PYTORCH_JOBS
from sidings.api.training_operator import words
from sidings.api.training_operator.defaults import defaulted
from sidings.api.training_operator.framework import PYTORCH

REASON = "NoAutoscaler"


def wanted(job: Object) -> Object | None:
    """The autoscaler of ``job``, a PyTorchJob as it is stored; None where it has none."""
    policy = job["spec"].get("elasticPolicy") or {}
    if not policy.get("metrics") or (job["spec"].get("runPolicy") or {}).get("suspend"):
        return None
    full = defaulted(PYTORCH, job)["spec"]["elasticPolicy"]
    spec: Object = {
        "scaleTargetRef": {"apiVersion": PYTORCH_JOBS.api_version, "kind": PYTORCH_JOBS.kind, "name": name_of(job)},
        "maxReplicas": full["maxReplicas"],
        "metrics": policy["metrics"],
        "minReplicas": full["minReplicas"],
    }
    return {
        "apiVersion": AUTOSCALERS.api_version,
        "kind": AUTOSCALERS.kind,
        "metadata": {
            "name": name_of(job),
            "namespace": job["metadata"]["namespace"],
            "ownerReferences": [controller_ref(job)],
        },
        "spec": spec,
    }


def status(job: Object, now: datetime) -> Object:
    """What a new autoscaler says of itself."""
    replicas = ((job["spec"].get(PYTORCH.replica_specs) or {}).get(words.WORKER) or {}).get("replicas")
    count = 1 if replicas is None else replicas
    by_hand = f"kubectl scale -n {job['metadata']['namespace']} pytorchjob/{name_of(job)} --replicas=N"
    conditions: list[dict[str, Any]] = [
        {
            "type": "ScalingActive",
            "status": "False",
            "reason": REASON,
            "message": f"nothing scales by metrics here; scale by hand: {by_hand}",
            "lastTransitionTime": timestamps.to_text(now),
        }
    ]
    return {"currentReplicas": count, "desiredReplicas": count, "currentMetrics": None, "conditions": conditions}
