"""What the script of a case writes in the name of others: of users, of whoever runs the Jobs, of agents in pods."""

from __future__ import annotations

from datetime import datetime

from sidings.api import objects, timestamps
from sidings.api.job import indexes
from sidings.api.jobset import elastic, labels
from sidings.api.objects import Object

MANAGER = "example.com/script"
"""Who runs the Jobs, instead of a Job controller."""
HOLD = "example.com/hold"
"""A finalizer: what carries it stays while it is being deleted."""


def placed(jobset: Object, placement: Object) -> Object:
    """``jobset`` with the pod templates of some groups changed: ``{group: {spec: ..., metadata: ...}}``."""
    changed: Object = objects.copy_of(jobset)
    for group in changed["spec"]["replicatedJobs"]:
        template = group["template"]["spec"]["template"]
        for part, fields in (placement.get(group["name"]) or {}).items():
            template[part] = {**(template.get(part) or {}), **fields}
    return changed


def resized(jobset: Object, sizes: Object) -> Object:
    """``jobset`` with as many pods at once, and in all, in each Job of some groups: ``{group: size}``."""
    changed: Object = objects.copy_of(jobset)
    for group in changed["spec"]["replicatedJobs"]:
        if group["name"] in sizes:
            group["template"]["spec"] |= dict.fromkeys(elastic.SIZE, sizes[group["name"]])
    return changed


def pod(number: int, attempt: int | None) -> Object:
    """A pod of the JobSet that says in which attempt it is, as its agent would have it."""
    annotations = {} if attempt is None else {labels.IN_PLACE_RESTART_ATTEMPT: str(attempt)}
    metadata = {"name": f"pod-{number}", "labels": {labels.JOBSET_NAME: "js"}, "annotations": annotations}
    return {"metadata": metadata, "spec": {"containers": [{"name": "main", "image": "img:1"}]}}


def job_status(verb: str, step: Object, moment: datetime, job: Object) -> Object:
    """What a Job controller would write into the status of ``job``."""
    text = timestamps.to_text(moment)
    status: Object = {"startTime": (job.get("status") or {}).get("startTime") or text}
    if verb in ("ready", "active"):
        return status | {"active": 1, "ready": int(verb == "ready")}
    if verb in ("failing", "suspended"):
        type_, reason = {
            "failing": ("FailureTarget", "BackoffLimitExceeded"),
            "suspended": ("Suspended", "JobSuspended"),
        }[verb]
        condition = {"type": type_, "status": "True", "reason": reason, "message": "", "lastTransitionTime": text}
        return status | {"active": int(verb == "failing"), "ready": 0, "conditions": [condition]}
    done = verb == "complete"
    reason = "CompletionsReached" if done else step.get("reason") or "BackoffLimitExceeded"
    types = ("SuccessCriteriaMet", "Complete") if done else ("FailureTarget", "Failed")
    conditions = [
        {
            "type": type_,
            "status": "True",
            "reason": reason,
            "message": step.get("message") or "",
            "lastProbeTime": text,
            "lastTransitionTime": text,
        }
        for type_ in types
    ]
    numbers: Object = {"active": 0, "ready": 0, "conditions": conditions}
    if done:
        return status | numbers | {"succeeded": 1, "completedIndexes": "0", "completionTime": text}
    return status | numbers | {"failed": 1}


def numbered(ready: int, succeeded: int, moment: datetime, job: Object) -> Object:
    """The status of ``job`` with so many pods."""
    start = (job.get("status") or {}).get("startTime") or timestamps.to_text(moment)
    status: Object = {"startTime": start, "active": ready, "ready": ready, "succeeded": succeeded}
    if job["spec"].get("completionMode") == "Indexed":
        status["completedIndexes"] = indexes.to_text(range(succeeded))
    return status
