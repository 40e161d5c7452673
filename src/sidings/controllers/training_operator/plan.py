"""One pass over one job: a sequence of decisions over a snapshot, nothing is done here.

Finished? Suspended? Has it reached a limit? Else pods and Services are brought to what is asked for, and the counts
become conditions (``JobController.ReconcileJobs``, 1.9.4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.training_operator import words
from sidings.controllers.runtime.plan import EventNote
from sidings.controllers.training_operator import cleanup, job_conditions, limits, pods, suspension, ttl
from sidings.controllers.training_operator.operator import Operator
from sidings.controllers.training_operator.report import Report
from sidings.controllers.training_operator.restart_policy import EXITED
from sidings.controllers.training_operator.scaling import Scaling, scale
from sidings.controllers.training_operator.snapshot import Snapshot
from sidings.controllers.training_operator.tally import Tally, count, status_of


@dataclass
class JobPlan:
    """``create`` and ``delete`` are pods and Services; ``status`` is None where it stays as it is.

    ``companions`` have to be there before what is created; those that are there already stay.
    """

    companions: list[Object] = field(default_factory=list)
    create: list[Object] = field(default_factory=list)
    delete: list[Object] = field(default_factory=list)
    status: Object | None = None
    events: list[EventNote] = field(default_factory=list)
    requeue_after: float | None = None
    expired: bool = False
    """The job has to be deleted."""


def plan(operator: Operator, snapshot: Snapshot, now: datetime) -> JobPlan:
    report = Report.of(snapshot.stored, now)
    report.put(words.CREATED, f"{report.kind} {snapshot.name} is created.", tell=False)
    if job_conditions.is_finished(report.status):
        made = _finished(snapshot, report)
    elif snapshot.run_policy.get("suspend"):
        suspension.suspend(snapshot, report)
        made = JobPlan(delete=cleanup.of_suspended(snapshot))
    else:
        suspension.resume(snapshot, report)
        message = limits.broken(snapshot, now)
        made = _stopped(snapshot, report, message) if message else _running(operator, snapshot, report)
    if report.status != (snapshot.stored.get("status") or {}):
        made.status = report.status
    made.events += report.events
    return made


def _finished(snapshot: Snapshot, report: Report) -> JobPlan:
    """Clean up; pods of a job that succeeded and still run count as succeeded, as upstream has it."""
    if report.holds(words.SUCCEEDED):
        for entry in (report.status.get("replicaStatuses") or {}).values():
            if active := entry.pop("active", 0):
                entry["succeeded"] = int(entry.get("succeeded") or 0) + active
    made = JobPlan(delete=cleanup.of_finished(snapshot))
    left = ttl.seconds_left(snapshot, report.now)
    if left is not None and not snapshot.run_policy.get("suspend"):
        made.expired, made.requeue_after = left <= 0, left
    return made


def _stopped(snapshot: Snapshot, report: Report, message: str) -> JobPlan:
    """A limit is reached: the job has failed, and ``cleanPodPolicy`` says what becomes of its pods."""
    report.end()
    report.put(words.FAILED, message)
    return JobPlan(delete=cleanup.of_finished(snapshot))


def _running(operator: Operator, snapshot: Snapshot, report: Report) -> JobPlan:
    made = JobPlan()
    if not report.status.get("startTime"):
        report.start()
    tallies: dict[str, Tally] = {}
    known = report.status.get("replicaStatuses") or {}
    report.status["replicaStatuses"] = {}
    for role, replica in snapshot.roles.items():
        scaling = scale(operator, snapshot, role)
        made.create += scaling.create
        made.delete += scaling.delete
        wanted = snapshot.replicas(role)
        present = snapshot.pods_of(role)
        tallies[role] = count(wanted, [pod for index, pod in present.items() if index < wanted])
        entry = report.status["replicaStatuses"][role] = status_of(snapshot, role, tallies[role])
        if entry != known.get(role):
            _tell_exits(report, scaling)
        _judge_pods(snapshot, role, scaling, report)
        _warn_of_template(role, replica, scaling, report)
    if made.create:
        made.companions = operator.companions(snapshot)
    operator.outcome(snapshot, tallies, report)
    made.requeue_after = limits.seconds_left(snapshot, report.now)
    if made.requeue_after is None and isinstance(deadline := snapshot.run_policy.get("activeDeadlineSeconds"), int):
        made.requeue_after = float(deadline)
    return made


def _judge_pods(snapshot: Snapshot, role: str, scaling: Scaling, report: Report) -> None:
    if scaling.fails_job:
        report.put(words.FAILED, f'job "{snapshot.name}" is failing because "{role}" replica(s) failed.')
    elif scaling.replaced:
        report.put(words.RESTARTING, f"job {snapshot.name} is restarting because {role} replica(s) failed.")


def _tell_exits(report: Report, scaling: Scaling) -> None:
    for pod, code in scaling.exits:
        where = f"{objects.namespace_of(pod)}.{objects.name_of(pod)}"
        report.note("Normal", EXITED, f"Pod: {where} exited with code {code}")


def _warn_of_template(role: str, replica: Object, scaling: Scaling, report: Report) -> None:
    if replica["template"]["spec"].get("restartPolicy") and any(obj["kind"] == "Pod" for obj in scaling.create):
        report.note("Warning", pods.POLICY_REASON, pods.POLICY_MESSAGE)
