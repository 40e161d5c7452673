"""One pass of the JobSet controller as a pure function.

The numbers in the status are those of the start of the pass: the pass that decides on a restart still shows the failed
Job. Failures are looked at before successes, and both even while the JobSet is suspended.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sidings.api import objects
from sidings.api.feature_gates import Gate
from sidings.api.jobset import labels
from sidings.api.objects import Object
from sidings.controllers.jobset import (
    creation,
    depends_on,
    failure_policy,
    headless_service,
    in_place_restart,
    job_restarts,
    jobset_conditions,
    resizing,
    restarting,
    startup_policy,
    statuses,
    success_policy,
    suspension,
    ttl,
    volume_claims,
)
from sidings.controllers.jobset.failure_policy import Counters, Decision
from sidings.controllers.jobset.in_place_restart import Attempts
from sidings.controllers.jobset.jobset_conditions import Condition
from sidings.controllers.jobset.snapshot import Children, Snapshot
from sidings.controllers.runtime.plan import EventNote

CURRENT_ATTEMPT = "currentInPlaceRestartAttempt"
PREVIOUS_ATTEMPT = "previousInPlaceRestartAttempt"


@dataclass
class JobSetPlan:
    """Everything that one pass wants done, in the order of its fields; ``effects`` does it."""

    delete_jobs: list[Object] = field(default_factory=list)
    service: Object | None = None
    claims: list[Object] = field(default_factory=list)
    create_jobs: list[list[Object]] = field(default_factory=list)
    """One list for each group; a group that cannot be created whole keeps the later ones back."""
    clear_start: list[Object] = field(default_factory=list)
    """Jobs whose status is written without ``startTime``, before ``update_jobs``."""
    update_jobs: list[Object] = field(default_factory=list)
    expired: bool = False
    """Delete the JobSet itself."""
    status: Object | None = None
    """The new status, None where nothing changed."""
    blamed: Object | None = None
    """The failed Job because of which the JobSet fails or starts again."""
    blamed_pods: list[Object] = field(default_factory=list)
    """Pods in which a container has failed, because of which the JobSet fails or starts again in place."""
    failure: str = ""
    """Why the status is not written although the rest is done; the pass is then tried again."""
    events: list[EventNote] = field(default_factory=list)
    requeue_after: float | None = None


def plan(snapshot: Snapshot, now: datetime) -> JobSetPlan:
    """Decide on the pass for a JobSet that is ours and not being deleted. ``now`` is aware."""
    step = _Pass(snapshot, now)
    step.count()
    if jobset_conditions.is_finished(snapshot.jobset):
        step.delete(snapshot.children.active)
        step.expire()
        return step.result()
    step.delete(snapshot.children.previous)
    step.note_ready()
    if snapshot.children.failed:
        step.apply_failure_policy()
        return step.result()
    if snapshot.children.successful and success_policy.met(snapshot.jobset, snapshot.children):
        step.complete()
        return step.result()
    step.ensure_service()
    step.ensure_claims()
    if Gate.ELASTIC_JOB_SET in snapshot.gates:
        step.resize()
    step.create_jobs()
    if snapshot.jobset["spec"].get("suspend"):
        step.suspend()
    else:
        step.resume()
    if Gate.IN_PLACE_RESTART in snapshot.gates and in_place_restart.is_used(snapshot.jobset):
        step.restart_in_place()
    return step.result()


class _Pass:
    """The steps, and the JobSet's status as it grows through them."""

    def __init__(self, snapshot: Snapshot, now: datetime) -> None:
        self._snapshot = snapshot
        self._children: Children = snapshot.children
        self._now = now
        self._plan = JobSetPlan()
        self._jobset: Object = {**snapshot.jobset, "status": objects.copy_of(snapshot.jobset.get("status") or {})}
        self._groups: list[Object] = self._jobset["spec"].get("replicatedJobs") or []
        self._statuses: list[Object] = []
        self._changed: dict[str, Object] = {}
        """Jobs to write, by uid, with all changes of this pass."""

    def count(self) -> None:
        self._statuses = statuses.compute(self._jobset, self._children, self._snapshot.gates)
        if self._statuses or self._jobset["status"].get("replicatedJobsStatus"):
            self._jobset["status"]["replicatedJobsStatus"] = self._statuses

    def delete(self, jobs: list[Object]) -> None:
        self._plan.delete_jobs += [job for job in jobs if not objects.is_deleting(job)]

    def expire(self) -> None:
        try:
            seconds = ttl.remaining(self._jobset, self._now)
        except ttl.UnknownEnd as error:
            self._plan.failure = str(error)
            return
        self._plan.expired = seconds is not None and seconds <= 0
        self._plan.requeue_after = seconds

    def note_ready(self) -> None:
        if not self._jobset["spec"].get("suspend") and restarting.all_ready(self._jobset, self._statuses):
            self._set(restarting.JOBS_READY)

    def apply_failure_policy(self) -> None:
        status = self._jobset["status"]
        gates = self._snapshot.gates
        before = Counters(
            int(status.get("restarts") or 0),
            int(status.get("restartsCountTowardsMax") or 0),
            job_restarts.towards_max(self._jobset) if Gate.RESTART_JOB in gates else 0,
        )
        try:
            decision = failure_policy.decide(self._jobset, self._children.failed, before, gates)
        except failure_policy.GateDisabled as error:
            self._plan.failure = str(error)
            return
        self._plan.blamed = decision.job
        if decision.fails:
            self._fail(decision.condition)
            return
        if decision.restarts_one_job:
            self._restart_job(decision)
            return
        self._set(decision.condition)
        status["restarts"] = decision.counters.restarts
        if decision.counters.towards_max:
            status["restartsCountTowardsMax"] = decision.counters.towards_max
        self._tell(decision)

    def _restart_job(self, decision: Decision) -> None:
        name = objects.labels_of(decision.job)[labels.REPLICATED_JOB_NAME]
        replicas = next(int(group["replicas"]) for group in self._groups if group["name"] == name)
        job_restarts.count(statuses.by_name(self._statuses)[name], decision.job, replicas, decision.job_counters)
        self._tell(decision)

    def _tell(self, decision: Decision) -> None:
        condition = decision.condition
        self._note(EventNote(self._jobset, condition.event_type, decision.event_reason, condition.message))

    def _fail(self, condition: Condition) -> None:
        self._set(condition)
        self._jobset["status"]["terminalState"] = failure_policy.TERMINAL_STATE
        self._set(restarting.JOBSET_FAILED)

    def complete(self) -> None:
        self._set(success_policy.ALL_JOBS_COMPLETED)
        self._jobset["status"]["terminalState"] = success_policy.TERMINAL_STATE
        self._set(restarting.JOBSET_COMPLETED)

    def ensure_service(self) -> None:
        if headless_service.is_wanted(self._jobset) and not self._snapshot.service_exists:
            self._plan.service = headless_service.service_for(self._jobset)

    def ensure_claims(self) -> None:
        self._plan.claims = [
            claim
            for claim in volume_claims.claims_for(self._jobset)
            if objects.name_of(claim) not in self._snapshot.claims
        ]

    def resize(self) -> None:
        for group in self._groups:
            for job in self._jobs_of(group):
                changed = resizing.resized(job, group)
                if changed is not None:
                    self._change(changed)

    def create_jobs(self) -> None:
        in_order = startup_policy.is_in_order(self._jobset) and not self._jobset["spec"].get("suspend")
        by_name = statuses.by_name(self._statuses)
        for group in self._groups:
            if not depends_on.met(self._jobset, group, by_name):
                continue
            if in_order and statuses.has_started(group, by_name[group["name"]]):
                continue
            if jobs := creation.missing(self._jobset, group, self._children, self._snapshot.gates):
                self._plan.create_jobs.append(jobs)
            if in_order:
                self._set(startup_policy.IN_PROGRESS)
                return
        if in_order:
            self._set(startup_policy.HAS_COMPLETED)

    def suspend(self) -> None:
        for job in map(self._latest, self._children.active):
            if not job["spec"].get("suspend"):
                self._change(suspension.suspended(job))
        self._set(suspension.HAS_SUSPENDED)
        self._set(restarting.JOBSET_SUSPENDED)

    def resume(self) -> None:
        in_order = startup_policy.is_in_order(self._jobset)
        by_name = statuses.by_name(self._statuses)
        for group in self._groups:
            if not depends_on.met(self._jobset, group, by_name):
                continue
            if in_order and statuses.has_started(group, by_name[group["name"]]):
                continue
            self._resume_group(group)
            if in_order:
                self._set(startup_policy.IN_PROGRESS)
                return
        self._set(suspension.HAS_RESUMED)

    def _resume_group(self, group: Object) -> None:
        for job in self._jobs_of(group):
            if not job["spec"].get("suspend"):
                continue
            cleared = suspension.without_start(job)
            if cleared is not None:
                self._plan.clear_start.append(cleared)
            self._change(suspension.resumed(job, group))

    def restart_in_place(self) -> None:
        status, pods = self._jobset["status"], self._snapshot.pods
        if in_place_restart.container_is_exhausted(self._jobset, pods):
            self._plan.blamed_pods = list(pods)
            self._fail(in_place_restart.REACHED_MAX_RESTARTS)
            return
        try:
            attempts = in_place_restart.attempts_of(pods)
        except in_place_restart.InvalidAttempt as error:
            self._plan.failure = str(error)
            return
        if in_place_restart.is_exhausted(self._jobset, attempts):
            self._plan.blamed_pods = in_place_restart.foremost(pods)
            self._fail(in_place_restart.REACHED_MAX_RESTARTS)
            return
        before = Attempts(status.get(CURRENT_ATTEMPT), status.get(PREVIOUS_ATTEMPT))
        after = in_place_restart.advance(self._jobset, attempts, before)
        if after.previous != before.previous:
            self._plan.blamed_pods = in_place_restart.foremost(pods)
        found = {CURRENT_ATTEMPT: after.current, PREVIOUS_ATTEMPT: after.previous}
        status |= {name: value for name, value in found.items() if value is not None}

    def _jobs_of(self, group: Object) -> list[Object]:
        """The active Jobs of ``group``, with the changes of this pass."""
        return [
            self._latest(job)
            for job in self._children.active
            if objects.labels_of(job).get(labels.REPLICATED_JOB_NAME) == group["name"]
        ]

    def _latest(self, job: Object) -> Object:
        return self._changed.get(objects.uid_of(job), job)

    def _change(self, job: Object) -> None:
        self._changed[objects.uid_of(job)] = job

    def result(self) -> JobSetPlan:
        self._plan.update_jobs = list(self._changed.values())
        status = self._jobset["status"]
        if status != (self._snapshot.jobset.get("status") or {}):
            status.setdefault("restarts", 0)
            self._plan.status = status
        return self._plan

    def _set(self, condition: Condition) -> None:
        note = jobset_conditions.set_condition(self._jobset, condition, self._now)
        if note is not None:
            self._note(note)

    def _note(self, note: EventNote) -> None:
        self._plan.events.append(note)
