"""``failurePolicy``: what the failure of a Job means for its JobSet (pkg/controllers/failure_policy.go).

Rules are tried in order; the first that any failed Job matches decides, together with the Job that failed first among
those that match. Without a match the whole JobSet is restarted, as long as restarts are left. Without a policy it
fails. Actions that restart one Job only need the gate RestartJob.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

from sidings.api import conditions, go_regexp, objects
from sidings.api.feature_gates import NONE, FeatureGates, Gate
from sidings.api.jobset import labels, validation
from sidings.api.objects import Object
from sidings.controllers.jobset import job_restarts
from sidings.controllers.jobset.jobset_conditions import FAILED, RESTARTING, Condition

log = logging.getLogger(__name__)

TERMINAL_STATE = "Failed"
DEFAULT_REASON = "DefaultFailurePolicy"
RULE_REASON = "FailurePolicy_"


GATE_IS_OFF = (
    "{action} failure policy action cannot be used when the feature gate RestartJob is disabled (sidings up "
    "--feature-gates RestartJob=true)"
)


class GateDisabled(ValueError):
    """A rule that was stored while the gate RestartJob was on asks for what cannot be done without it."""


class Counters(NamedTuple):
    """``status.restarts``, those of them that count towards ``maxRestarts``, and restarts of single Jobs that do."""

    restarts: int = 0
    towards_max: int = 0
    jobs_towards_max: int = 0


class Decision(NamedTuple):
    """What is to happen because of ``job``: ``condition`` to set, ``counters`` to write, for a restart also an event.

    Where only ``job`` is restarted, its counters ``job_counters`` grow and no condition of the JobSet is set.
    """

    condition: Condition
    counters: Counters
    job: Object
    event_reason: str = ""
    job_counters: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        return self.condition.type == FAILED

    @property
    def restarts_one_job(self) -> bool:
        return bool(self.job_counters)


def decide(jobset: Object, failed: list[Object], counters: Counters, gates: FeatureGates = NONE) -> Decision:
    """The decision on a JobSet with at least one ``failed`` Job of the current attempt. Raises ``GateDisabled``."""
    policy = jobset["spec"].get("failurePolicy")
    first = _first(failed)
    if policy is None:
        return _fail("FailedJobs", "jobset failed due to one or more job failures", first, counters)
    for rule in policy.get("rules") or ():
        matching = [job for job in failed if matches(rule, job)]
        if matching:
            if rule["action"] in validation.GATED_ACTIONS and Gate.RESTART_JOB not in gates:
                raise GateDisabled(GATE_IS_OFF.format(action=rule["action"]))
            return _ACTIONS[rule["action"]](policy, _first(matching), RULE_REASON + rule["name"], counters)
    return restart_jobset(policy, first, DEFAULT_REASON, counters)


def matches(rule: Object, job: Object) -> bool:
    """Whether reason, message and group of the failed Job are what the rule asks for; what it leaves out is any."""
    condition = _failure(job)
    reasons = rule.get("onJobFailureReasons") or ()
    patterns = rule.get("onJobFailureMessagePatterns") or ()
    targets = rule.get("targetReplicatedJobs") or ()
    return (
        (not reasons or condition.get("reason") in reasons)
        and (not patterns or any(_found(pattern, condition.get("message") or "") for pattern in patterns))
        and (not targets or objects.labels_of(job).get(labels.REPLICATED_JOB_NAME) in targets)
    )


def fail_jobset(policy: Object, job: Object, reason: str, counters: Counters) -> Decision:
    return _fail("FailJobSetFailurePolicyAction", "applying FailJobSet failure policy action", job, counters)


def restart_jobset(policy: Object, job: Object, reason: str, counters: Counters) -> Decision:
    if _is_used_up(policy, counters):
        return _reached_max_restarts(job, counters)
    counted = counters._replace(restarts=counters.restarts + 1, towards_max=counters.towards_max + 1)
    return _restart("RestartJobSet", job, reason, counted)


def restart_jobset_and_ignore_max_restarts(policy: Object, job: Object, reason: str, counters: Counters) -> Decision:
    counted = counters._replace(restarts=counters.restarts + 1)
    return _restart("RestartJobSetAndIgnoreMaxRestarts", job, reason, counted)


def restart_job(policy: Object, job: Object, reason: str, counters: Counters) -> Decision:
    if _is_used_up(policy, counters):
        return _reached_max_restarts(job, counters)
    return _restart("RestartJob", job, reason, counters, job_restarts.COUNTERS)


def restart_job_and_ignore_max_restarts(policy: Object, job: Object, reason: str, counters: Counters) -> Decision:
    return _restart("RestartJobAndIgnoreMaxRestarts", job, reason, counters, (job_restarts.RESTARTS,))


_ACTIONS: dict[str, Callable[[Object, Object, str, Counters], Decision]] = {
    "FailJobSet": fail_jobset,
    "RestartJobSet": restart_jobset,
    "RestartJobSetAndIgnoreMaxRestarts": restart_jobset_and_ignore_max_restarts,
    "RestartJob": restart_job,
    "RestartJobAndIgnoreMaxRestarts": restart_job_and_ignore_max_restarts,
}


def _fail(reason: str, what: str, job: Object, counters: Counters) -> Decision:
    return Decision(Condition(FAILED, "True", reason, _naming(what, job), "Warning"), counters, job)


def _is_used_up(policy: Object, counters: Counters) -> bool:
    return counters.towards_max + counters.jobs_towards_max >= int(policy.get("maxRestarts") or 0)


def _reached_max_restarts(job: Object, counters: Counters) -> Decision:
    return _fail("ReachedMaxRestarts", "jobset failed due to reaching max number of restarts", job, counters)


def _restart(action: str, job: Object, reason: str, counters: Counters, job_counters: tuple[str, ...] = ()) -> Decision:
    message = _naming(f"applying {action} failure policy action", job)
    condition = Condition(RESTARTING, "True", reason, message, "Warning")
    return Decision(condition, counters, job, f"{action}FailurePolicyAction", job_counters)


def _naming(what: str, job: Object) -> str:
    return f"{what} (first failed job: {objects.name_of(job)})"


def _first(failed: list[Object]) -> Object:
    """The Job that failed first; of several the first in the list."""
    return min(failed, key=lambda job: str(_failure(job).get("lastTransitionTime") or ""))


def _failure(job: Object) -> Object:
    return conditions.find((job.get("status") or {}).get("conditions"), "Failed") or {}


def _found(pattern: str, message: str) -> bool:
    """A pattern that gives no answer matches nothing: admission does not check it, so it may be stored."""
    try:
        return go_regexp.found(pattern, message)
    except go_regexp.PatternError as error:
        log.warning("failure policy: %s", error)
        return False
