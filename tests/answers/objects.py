"""Objects as the controllers make them, in the few fields that answers read.

Shapes and names as in recordings of kubernetes v1.36, JobSet v0.12 and Trainer v2.3: a TrainJob ``tj`` owns a JobSet
``tj``, which owns a Job ``tj-node-0``, which owns the pods ``tj-node-0-<rank>-<suffix>``.
"""

from __future__ import annotations

from typing import Any

from sidings.api.objects import Object

CREATED = "2026-01-01T00:00:00Z"


def owned_by(owner: Object) -> list[Object]:
    return [
        {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "controller": True,
        }
    ]


def _object(api_version: str, kind: str, name: str, owner: Object | None, **fields: Any) -> Object:
    metadata: Object = {"name": name, "namespace": "ns", "uid": f"{kind}/{name}", "creationTimestamp": CREATED}
    if owner is not None:
        metadata["ownerReferences"] = owned_by(owner)
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def condition(type_: str, reason: str = "", message: str = "", status: str = "True") -> Object:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def train_job(*conditions: Object, suspend: bool = False, name: str = "tj") -> Object:
    status = {"conditions": list(conditions)} if conditions else {}
    return _object(
        "trainer.kubeflow.org/v1alpha1",
        "TrainJob",
        name,
        None,
        spec={"runtimeRef": {"name": "torch-distributed"}, "suspend": suspend},
        status=status,
    )


def job_set(
    owner: Object | None = None,
    *conditions: Object,
    parts: tuple[tuple[str, int], ...] = (("node", 2),),
    restarts: int = 0,
    max_restarts: int | None = None,
    name: str = "tj",
) -> Object:
    """``parts``: replicated jobs with the number of pods of each."""
    spec: Object = {
        "replicatedJobs": [
            {"name": part, "replicas": 1, "template": {"spec": {"parallelism": pods, "completions": pods}}}
            for part, pods in parts
        ]
    }
    if max_restarts is not None:
        spec["failurePolicy"] = {"maxRestarts": max_restarts}
    status: Object = {"restarts": restarts, "conditions": list(conditions)}
    return _object("jobset.x-k8s.io/v1alpha2", "JobSet", name, owner, spec=spec, status=status)


def job(
    owner: Object | None, *conditions: Object, part: str = "node", pods: int = 2, name: str = "", **status: Any
) -> Object:
    made = _object(
        "batch/v1",
        "Job",
        name or f"tj-{part}-0",
        owner,
        spec={"parallelism": pods, "completions": pods, "completionMode": "Indexed", "backoffLimit": 6},
        status={"conditions": list(conditions), **status},
    )
    if owner is not None:
        made["metadata"]["labels"] = {
            "jobset.sigs.k8s.io/replicatedjob-name": part,
            "jobset.sigs.k8s.io/job-index": "0",
        }
    return made


def pod(
    owner: Object,
    rank: int,
    phase: str = "Pending",
    *,
    node: str = "",
    suffix: str = "aaaaa",
    deleting: bool = False,
    containers: list[Object] | None = None,
    conditions: list[Object] | None = None,
) -> Object:
    made = _object("v1", "Pod", f"{owner['metadata']['name']}-{rank}-{suffix}", owner, spec={"containers": []})
    metadata = made["metadata"]
    metadata["labels"] = dict(owner["metadata"].get("labels") or {})
    metadata["annotations"] = {"batch.kubernetes.io/job-completion-index": str(rank)}
    if deleting:
        metadata["deletionTimestamp"] = CREATED
    if node:
        made["spec"]["nodeName"] = node
    made["status"] = {"phase": phase, "containerStatuses": containers or [], "conditions": conditions or []}
    return made


def running(name: str = "node", *, restarts: int = 0) -> Object:
    return {"name": name, "restartCount": restarts, "state": {"running": {"startedAt": CREATED}}}


def waiting(reason: str, message: str = "", *, name: str = "node", restarts: int = 0) -> Object:
    return {
        "name": name,
        "restartCount": restarts,
        "state": {"waiting": {"reason": reason} | ({"message": message} if message else {})},
    }


def ended(code: int, reason: str = "Error", *, at: str = "2026-01-01T00:01:00Z", name: str = "node") -> Object:
    terminated = {"exitCode": code, "reason": reason, "finishedAt": at}
    return {"name": name, "restartCount": 0, "state": {"terminated": terminated}}


def warning(about: Object, reason: str, message: str, *, at: str = "2026-01-01T00:00:05Z") -> Object:
    metadata = about["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{metadata['name']}.{reason}", "namespace": "ns", "uid": f"Event/{reason}{at}"},
        "type": "Warning",
        "reason": reason,
        "message": message,
        "involvedObject": {"kind": about["kind"], "name": metadata["name"], "uid": metadata["uid"]},
        "lastTimestamp": at,
    }


def workload(owner: Object, *conditions: Object, active: bool = True, created: str = CREATED) -> Object:
    """What a queue holds for ``owner``."""
    name = f"{owner['kind'].lower()}-{owner['metadata']['name']}"
    made = _object("kueue.x-k8s.io/v1beta2", "Workload", name, owner)
    made["metadata"]["creationTimestamp"] = created
    return {**made, "spec": {"active": active}, "status": {"conditions": list(conditions)}}
