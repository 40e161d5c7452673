"""The state of a job in one word, and the reason where one is worth reading.

A TrainJob has no phase, its State column shows the type of the last condition (``Suspended`` long after a resume, empty
while it runs), a JobSet shows less. This is the one rule that `get`, `run`, `status` and later the web page use, so a
job never has two states. It is a total function: any set of objects, however incomplete, has a state.

Order of the rule: finished? suspended? then the pods decide. A job is Running when every pod it wants now runs;
Queued while nothing of it has a node, or while a queue holds it (a user's suspension is Suspended); Starting between.
A job that was set back (a JobSet restart, a pod replaced or a container started again) is ``Restarting(n/m)`` instead
of Queued or Starting until it runs again, and from the moment in which one of its pods has failed for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from sidings.answers import suspension
from sidings.answers.failure import first_failure
from sidings.answers.family import Family, is_owned_by, phase_of
from sidings.api import conditions
from sidings.api.job import ending
from sidings.api.job.size import pods_at_once
from sidings.api.objects import Object, is_deleting, uid_of
from sidings.api.training_operator import framework


class State(StrEnum):
    """The closed set. ``Restarting`` is shown with its count, see ``Verdict.word``."""

    QUEUED = "Queued"
    STARTING = "Starting"
    RUNNING = "Running"
    SUSPENDED = "Suspended"
    RESTARTING = "Restarting"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"

    @property
    def finished(self) -> bool:
        return self in (State.SUCCEEDED, State.FAILED)


class Restarts(NamedTuple):
    """How often a job was set back and how often it may be."""

    done: int
    limit: int


class Verdict(NamedTuple):
    """``reason`` is ``""`` where the state explains itself."""

    state: State
    reason: str
    restarts: Restarts

    @property
    def word(self) -> str:
        """``Running``, ``Restarting(1/3)``: what a STATE column shows."""
        if self.state is State.RESTARTING:
            return f"{self.state}({self.restarts.done}/{self.restarts.limit})"
        return str(self.state)


# Waiting reasons that say only that the kubelet is at work (kubernetes v1.36, pkg/kubelet/kubelet_pods.go).
_AT_WORK = frozenset({"ContainerCreating", "PodInitializing", ""})
_SUCCESS_CONDITIONS = ("Complete", "Completed", "Succeeded")


def state_of(family: Family) -> Verdict:
    """State, reason and restarts of a job."""
    restarts = restarts_of(family)
    state, reason = _decide(family, restarts)
    if not reason and is_deleting(family.root):
        reason = "being deleted"
    return Verdict(state, reason, restarts)


def _decide(family: Family, restarts: Restarts) -> tuple[State, str]:
    if any(conditions.is_true(family.root, type_) for type_ in _SUCCESS_CONDITIONS):
        return State.SUCCEEDED, ""
    if conditions.is_true(family.root, "Failed"):
        return State.FAILED, _why_failed(family)
    living = family.living_pods()
    if suspension.is_suspended(family.root):
        return _held(family)
    if _all_run(family, living) or (not living and pods_that_run(family) == family.wanted_pods()):
        return State.RUNNING, ""
    if failing := _failing(family):
        return (State.RESTARTING if _may_restart(family) else State.RUNNING), failing
    if restarts.done:
        return State.RESTARTING, _obstacle(family, living) or _pause(family, living)
    if any(pod["spec"].get("nodeName") for pod in living) or any(_started(pod) for pod in family.pods):
        return State.STARTING, _obstacle(family, living)
    return State.QUEUED, _obstacle(family, living)


def _held(family: Family) -> tuple[State, str]:
    """A suspended job: by the queue that it waits in, or by somebody."""
    stopping = len(family.unfinished_pods())
    reason = f"{stopping} pods are stopping" if stopping else ""
    if family.workload is None:
        return State.SUSPENDED, reason
    why = suspension.why_it_waits(family.workload)
    waits = suspension.waits_in_queue(family.workload)
    return (State.QUEUED if waits else State.SUSPENDED), reason or why


def _why_failed(family: Family) -> str:
    """The controller's reason with the container that led to it; its own message where no container did."""
    condition = conditions.find(family.root["status"]["conditions"], "Failed") or {}
    failure = first_failure(family)
    return f"{condition.get('reason')}: {failure}" if failure and condition.get("reason") else _text(condition)


def _all_run(family: Family, living: list[Object]) -> bool:
    """Every pod that the family's unfinished Jobs want now runs."""
    if not living or any(phase_of(pod) != "Running" or _crashed(pod) for pod in living):
        return False
    if framework.of_object(family.root):
        return pods_that_run(family) == family.wanted_pods()
    return all(_has_its_pods(job, family.pods, living) for job in family.jobs if not job["spec"].get("suspend"))


def _has_its_pods(job: Object, pods: list[Object], living: list[Object]) -> bool:
    """As many pods of ``job`` live as it still wants: none once it is complete, more than it has once it failed."""
    if conditions.is_true(job, "Complete"):
        return True
    if conditions.is_true(job, "Failed") or is_deleting(job):
        return False
    wanted = pods_at_once(job["spec"])
    completions = job["spec"].get("completions")
    if completions is not None:
        counted = int((job.get("status") or {}).get("succeeded") or 0)
        succeeded = sum(is_owned_by(pod, job) and phase_of(pod) == "Succeeded" for pod in pods)
        wanted = min(wanted, int(completions) - max(counted, succeeded))
    return sum(is_owned_by(pod, job) for pod in living) >= wanted


def pods_that_run(family: Family) -> int:
    """Pods that run or have succeeded: what counts towards ``Family.wanted_pods``."""
    present = [pod for pod in family.pods if not is_deleting(pod)]
    return sum(phase_of(pod) == "Succeeded" or (phase_of(pod) == "Running" and not _crashed(pod)) for pod in present)


def _started(pod: Object) -> bool:
    return bool((pod.get("status") or {}).get("startTime"))


def _containers(pod: Object) -> list[Object]:
    status = pod.get("status") or {}
    return [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]


def _crashed(pod: Object) -> bool:
    """A container that ran before waits to be started again."""
    return any(
        (container.get("state") or {}).get("waiting") and container.get("restartCount")
        for container in _containers(pod)
    )


def restarts_of(family: Family) -> Restarts:
    """JobSet restarts where there were any, else pods and containers that its Jobs replaced or started again.

    For a job of the Training Operator containers started again, against a limit that seldom is set.
    """
    if framework.of_object(family.root):
        done = sum(int(container.get("restartCount") or 0) for pod in family.pods for container in _containers(pod))
        limit = (family.root["spec"].get("runPolicy") or {}).get("backoffLimit")
        return Restarts(done, max(done, int(limit or 0)))
    if family.job_set is not None:
        limit = int((family.job_set["spec"].get("failurePolicy") or {}).get("maxRestarts") or 0)
        done = int((family.job_set.get("status") or {}).get("restarts") or 0)
        if done or (limit and (_fails(family) or not _replaced(family))):
            return Restarts(done, limit)
    done = _replaced(family)
    limit = max((int(job["spec"].get("backoffLimit", 6)) for job in family.jobs), default=0)
    return Restarts(min(done, limit), limit)  # the failure beyond the limit ends the job, nothing is started again


def _replaced(family: Family) -> int:
    """Pods and containers that the Jobs of the family replaced or started again."""
    done = sum(int((job.get("status") or {}).get("failed") or 0) for job in family.jobs)
    done += sum(int(container.get("restartCount") or 0) for pod in family.pods for container in _containers(pod))
    return done


def _fails(family: Family) -> bool:
    return any(ending.is_failing(job) for job in family.jobs)


def _failing(family: Family) -> str:
    """What has failed, while no controller above knows of it: that takes until the other pods have stopped."""
    if not _fails(family):
        return ""
    stopping = sum(is_deleting(pod) for pod in family.unfinished_pods())
    waits = f"{stopping} pod{'s' * (stopping > 1)} to stop" if stopping else ""
    return ", waits for ".join(filter(None, (str(first_failure(family) or "a Job fails"), waits)))


def _may_restart(family: Family) -> bool:
    """Whether restarts are left to its JobSet. What rules of its failure policy say shows soon enough."""
    job_set: Object = family.job_set or {"spec": {}}
    used = int((job_set.get("status") or {}).get("restartsCountTowardsMax") or 0)
    return int((job_set["spec"].get("failurePolicy") or {}).get("maxRestarts") or 0) > used


def _pause(family: Family, living: list[Object]) -> str:
    """What a job that starts again waits for while nothing of it is at work."""
    if living:
        return ""
    stopping = [pod for pod in family.unfinished_pods() if is_deleting(pod)]
    if stopping:
        return f"waits for {len(stopping)} pod{'s' * (len(stopping) > 1)} of the attempt before to stop"
    backs_off = any((job.get("status") or {}).get("failed") for job in family.jobs)
    return "pods that failed are replaced after a pause" if backs_off else ""


def _obstacle(family: Family, living: list[Object]) -> str:
    """What keeps a job from running: a pod that fits nowhere, a container that cannot start, else the last warning."""
    for pod in living:
        scheduled = conditions.find((pod.get("status") or {}).get("conditions"), "PodScheduled")
        if scheduled is not None and scheduled.get("status") == "False":
            return _text(scheduled)
        for container in _containers(pod):
            waiting = (container.get("state") or {}).get("waiting") or {}
            if waiting.get("reason") == "CrashLoopBackOff" and (failure := first_failure(Family(pod, pods=[pod]))):
                return f"CrashLoopBackOff: {failure}"
            if waiting.get("reason", "") not in _AT_WORK:
                return _text(waiting)
    standing = [event for event in family.events if _still_matters(event, living)]
    return _text(standing[-1]) if standing else ""


def _still_matters(event: Object, living: list[Object]) -> bool:
    """A warning about a pod matters until the pod runs, one about its owners until there are pods."""
    involved = event["involvedObject"]
    if involved.get("kind") != "Pod":
        return not living
    return any(uid_of(pod) == involved.get("uid") and phase_of(pod) == "Pending" for pod in living)


def _text(obj: Object | None) -> str:
    """``Reason: message`` of a condition, a waiting container or an event."""
    if obj is None:
        return ""
    return ": ".join(part for part in (str(obj.get("reason") or ""), str(obj.get("message") or "")) if part)


def state_of_pod(pod: Object, events: Sequence[Object] = ()) -> Verdict:
    """The same words for one pod; ``events`` are warnings about it and others, oldest first."""
    restarts = Restarts(sum(int(container.get("restartCount") or 0) for container in _containers(pod)), 0)
    phase = phase_of(pod)
    obstacle = _obstacle(Family(pod, pods=[pod], events=list(events)), [pod])
    if is_deleting(pod):
        return Verdict(State.RUNNING if phase == "Running" else State.STARTING, "being deleted", restarts)
    if phase == "Succeeded":
        return Verdict(State.SUCCEEDED, "", restarts)
    if phase == "Failed":
        return Verdict(State.FAILED, _ending(pod), restarts)
    if phase == "Running":
        return Verdict(State.STARTING if _crashed(pod) else State.RUNNING, obstacle, restarts)
    return Verdict(State.STARTING if pod["spec"].get("nodeName") else State.QUEUED, obstacle, restarts)


def _ending(pod: Object) -> str:
    """Why a pod failed: the pod's own reason (Evicted), else the first container that did not exit with 0."""
    status = pod.get("status") or {}
    if status.get("reason"):
        return _text(status)
    for container in _containers(pod):
        ended = (container.get("state") or {}).get("terminated") or {}
        if ended.get("exitCode"):
            return f"{ended.get('reason') or 'Error'}: container {container['name']} exited with {ended['exitCode']}"
    return ""
