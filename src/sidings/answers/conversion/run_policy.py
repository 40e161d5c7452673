"""``spec.runPolicy`` and the restart policies, in the words of TrainJob, JobSet and Job.

What limits a job moves to three objects: the TrainJob (suspend, deadline), the JobSet in its runtime (TTL) and the Jobs
in that (back-off, what an exit code means).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sidings.answers.conversion.finding import Finding, changed, lost
from sidings.api.objects import Object
from sidings.api.trainer import words as trainer
from sidings.api.training_operator import words

_PATH = "spec.runPolicy"
_MANAGERS = {words.OWN_MANAGER: trainer.BUILTIN_CONTROLLER, words.MULTIKUEUE: trainer.MULTIKUEUE}
_LAST_PERMANENT = 127


class Limits(NamedTuple):
    """Fields for the spec of the TrainJob, of the JobSet, of its Jobs and of their pods; empty where none is needed."""

    train_job: Object
    job_set: Object
    job: Object
    pod: Object


def limits(policy: Object, restart_policy: str) -> Limits:
    """``policy`` is the old runPolicy, ``restart_policy`` the one that all roles have."""
    train_job: Object = {
        key: policy[key] for key in ("suspend", "activeDeadlineSeconds") if policy.get(key) is not None
    }
    if policy.get("managedBy") in _MANAGERS:
        train_job["managedBy"] = _MANAGERS[policy["managedBy"]]
    job_set = {key: policy[key] for key in ("ttlSecondsAfterFinished",) if policy.get(key) is not None}
    job: dict[str, Any] = {key: policy[key] for key in ("backoffLimit",) if policy.get(key) is not None}
    pod: Object = {}
    if restart_policy in (words.NEVER, words.EXIT_CODE):
        pod["restartPolicy"] = words.NEVER
    if restart_policy == words.NEVER:
        job["backoffLimit"] = 0
    if restart_policy == words.EXIT_CODE:
        codes = {"operator": "In", "values": list(range(1, _LAST_PERMANENT + 1))}
        job["podFailurePolicy"] = {"rules": [{"action": "FailJob", "onExitCodes": codes}]}
    return Limits(train_job, job_set, job, pod)


def findings(policy: Object, restart_policy: str) -> Iterator[Finding]:
    if policy.get("activeDeadlineSeconds") is not None:
        yield changed(
            f"{_PATH}.activeDeadlineSeconds", "counts from creation or the last resumption; needs Trainer 2.2 or later"
        )
    if policy.get("ttlSecondsAfterFinished") is not None:
        yield changed(f"{_PATH}.ttlSecondsAfterFinished", "deletes the JobSet with its pods, the TrainJob stays")
    if policy.get("backoffLimit") is not None:
        text = "counts failed pods and restarts of the Job; v1 counted container restarts of running pods"
        yield changed(f"{_PATH}.backoffLimit", text)
    elif restart_policy in (words.ALWAYS, words.ON_FAILURE):
        text = f"{restart_policy} without a backoffLimit was for ever; a Job fails after six restarts"
        yield changed("restartPolicy", text)
    clean = policy.get("cleanPodPolicy")
    if clean is not None and clean != "Running":
        text = "finished pods stay until the TrainJob goes, running ones are removed when it has ended"
        yield lost(f"{_PATH}.cleanPodPolicy", text)
    for field in sorted(policy.get("schedulingPolicy") or {}):
        yield lost(f"{_PATH}.schedulingPolicy.{field}", "gang scheduling is a podGroupPolicy of the runtime")
    if restart_policy == words.ALWAYS:
        yield changed("restartPolicy", "Always is not allowed in Jobs: OnFailure")
    if restart_policy == words.EXIT_CODE:
        text = "exit codes 1 to 127 fail the Job by its podFailurePolicy, others count towards its backoffLimit"
        yield changed("restartPolicy", text)
