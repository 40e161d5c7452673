"""``spec.podFailurePolicy``: what the way a pod failed means for its Job.

Rules are tried in order and the first that matches decides; a failure that no rule matches counts as always
(pkg/controller/job/pod_failure_policy.go, 1.36).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.controllers.job import pods

FAIL_JOB = "FailJob"
FAIL_INDEX = "FailIndex"
IGNORE = "Ignore"


class Outcome(NamedTuple):
    """``action`` of the rule that matched, ``""`` if none did; ``message`` says why a FailJob rule matched."""

    action: str = ""
    message: str = ""

    @property
    def counts(self) -> bool:
        """Whether the failure counts towards the back-off limits."""
        return self.action != IGNORE


def judge(job: Object, pod: Object) -> Outcome:
    """What the Job's policy, if any, says about the failed ``pod``."""
    for index, rule in enumerate((job["spec"].get("podFailurePolicy") or {}).get("rules") or ()):
        action = rule["action"]
        if rule.get("onExitCodes"):
            status = _matching_container(pod, rule["onExitCodes"])
            if status is not None:
                code = status["state"]["terminated"]["exitCode"]
                what = f"Container {status['name']} for pod {_path(pod)} failed with exit code {code}"
                return Outcome(action, f"{what} matching {action} rule at index {index}")
        elif rule.get("onPodConditions"):
            type_ = _matching_condition(pod, rule["onPodConditions"])
            if type_:
                what = f"Pod {_path(pod)} has condition {type_}"
                return Outcome(action, f"{what} matching {action} rule at index {index}")
    return Outcome()


def job_failure(job: Object, all_pods: Iterable[Object]) -> str:
    """The message of the first FailJob rule that a failed pod matches; ``""`` if the policy lets the Job go on."""
    if job["spec"].get("podFailurePolicy") is None:
        return ""
    for pod in all_pods:
        if pods.has_failed(pod, job):
            outcome = judge(job, pod)
            if outcome.action == FAIL_JOB:
                return outcome.message
    return ""


def counts(job: Object, pod: Object) -> bool:
    """Whether the failure of ``pod`` counts towards the limits."""
    return judge(job, pod).counts


def _path(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def _matching_container(pod: Object, requirement: Object) -> Object | None:
    """The first container, main ones before init ones, that ended with a non-zero code that the rule names."""
    wanted = requirement.get("containerName")
    values = requirement.get("values") or ()
    for status in pods.container_statuses(pod):
        terminated = (status.get("state") or {}).get("terminated")
        if terminated is None or not terminated["exitCode"] or (wanted is not None and status["name"] != wanted):
            continue
        if (terminated["exitCode"] in values) == (requirement["operator"] == "In"):
            return status
    return None


def _matching_condition(pod: Object, patterns: Iterable[Object]) -> str:
    for condition in (pod.get("status") or {}).get("conditions") or ():
        for pattern in patterns:
            if condition["type"] == pattern["type"] and condition["status"] == (pattern.get("status") or "True"):
                return str(condition["type"])
    return ""
