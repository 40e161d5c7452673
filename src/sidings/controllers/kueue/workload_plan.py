"""A Workload and its queue: why it cannot be admitted, what is checked, when it must go.

One step a pass. Evictions only ask; the job's controller stops the job and gives the quota back
(pkg/controller/core/workload_controller.go, Kueue v0.19).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sidings.api import conditions, selectors, timestamps
from sidings.api.kueue.configuration import Configuration
from sidings.api.objects import Object, copy_of, is_deleting, labels_of, name_of, namespace_of
from sidings.api.resources import WORKLOADS
from sidings.controllers.kueue import words, workload_status
from sidings.controllers.runtime.plan import Delete, EventNote, Plan, Update
from sidings.queue import eligibility, reasons

DEACTIVATED_MESSAGE = "The workload is deactivated"
FINISHED_DELETED = "Deleted finished workload due to elapsed retention"
WHILE_OUT_OF_QUEUES = frozenset(
    {words.SUSPENDED, words.MISCONFIGURED, words.DEACTIVATED, words.ON_HOLD, words.ADMISSION_GATED}
)
"""Reasons of QuotaReserved=False that are over when nothing keeps a Workload from the scheduler any more."""
LOOK_AGAIN = 0.001
"""Seconds added to a wait, so that the moment has passed when it is looked at."""


@dataclass(frozen=True)
class Surroundings:
    """What decides about a Workload besides itself; None for what does not exist."""

    local_queue: Object | None
    cluster_queue: Object | None
    namespace: Object | None
    flavors_of_checks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """AdmissionChecks of the ClusterQueue, and for which flavors; none means all."""


@dataclass
class Due:
    """A plan, with events by who reports them."""

    plan: Plan
    admission_events: list[EventNote] = field(default_factory=list)
    """Reported as ``kueue-admission``; those of the plan are the workload controller's own."""


def plan(workload: Object, around: Surroundings, config: Configuration, now: datetime) -> Due:
    """The step that is due."""
    if is_deleting(workload):
        return Due(Plan())
    if workload_status.is_finished(workload):
        return Due(_retained(workload, config.retention.after_finished, now))
    state = _State(workload, around, config, now)
    steps: tuple[Callable[[], Due | None], ...] = (
        state.deactivated,
        state.reactivated,
        state.deactivation_asked,
        state.queue_stopped,
        state.checks,
        state.admitted,
        state.execution_time,
        state.pods_ready_in_time,
        state.back_in_queue,
        state.why_it_waits,
    )
    for step in steps:
        if (due := step()) is not None:
            return due
    return Due(Plan(requeue_after=state.wait))


def _retained(workload: Object, seconds: float | None, now: datetime) -> Plan:
    """A Workload that is over goes after ``seconds``; its job stays."""
    since = workload_status.since(workload, words.FINISHED)
    if seconds is None or since is None:
        return Plan()
    left = seconds - (now - since).total_seconds()
    if left > 0:
        return Plan(requeue_after=left + LOOK_AGAIN)
    note = EventNote(referable(workload), "Normal", words.DELETED, FINISHED_DELETED, action=words.DELETED)
    return Plan(deletes=[Delete(WORKLOADS, workload)], events=[note])


class _State:
    def __init__(self, workload: Object, around: Surroundings, config: Configuration, now: datetime) -> None:
        self.old = workload
        self.workload = copy_of(workload)
        self.around = around
        self.config = config
        self.now = now
        self.wait: float | None = None
        """Seconds until something is due by time alone."""

    @property
    def status(self) -> Object:
        status: Object = self.workload.setdefault("status", {})
        return status

    # Steps. Each returns what is due, or None to go on with the next.

    def deactivated(self) -> Due | None:
        if workload_status.is_active(self.old):
            return None
        changed = False
        events = []
        if not workload_status.is_evicted(self.old):
            target = conditions.find(self.status.get("conditions"), words.DEACTIVATION_TARGET) or {}
            reason, message = words.DEACTIVATED, DEACTIVATED_MESSAGE
            if target.get("status") == "True":
                reason = workload_status.DEACTIVATED_DUE_TO + target["reason"]
                message = f"{DEACTIVATED_MESSAGE} due to {target['message']}"
            workload_status.evict(self.workload, reason, message, self.now)
            workload_status.remove_condition(self.workload, words.DEACTIVATION_TARGET)
            events.append(self.evicted_event(reason, message))
            changed = True
        changed = self.status.pop("requeueState", None) is not None or changed
        if not workload_status.has_quota(self.old):
            text = (words.DEACTIVATED, DEACTIVATED_MESSAGE)
            changed = workload_status.refuse(self.workload, *text, self.now) or changed
        return self.written(events) if changed else self.expired_while_leaving()

    def expired_while_leaving(self) -> Due | None:
        """Its time may run out once more while its job still stops; upstream says so again."""
        return self.execution_time() if workload_status.is_admitted(self.old) else Due(Plan())

    def reactivated(self) -> Due | None:
        requeued = self.condition(words.REQUEUED)
        if requeued.get("status") != "False" or not requeued.get("reason", "").startswith(words.DEACTIVATED):
            return None
        self.set(words.REQUEUED, "True", words.REACTIVATED, "The workload was reactivated")
        self.status.pop("requeueState", None)
        return self.written()

    def deactivation_asked(self) -> Due | None:
        if self.condition(words.DEACTIVATION_TARGET).get("status") != "True":
            return None
        self.workload["spec"]["active"] = False
        return Due(Plan(updates=[Update(WORKLOADS, self.workload)]))

    def queue_stopped(self) -> Due | None:
        """``stopPolicy`` of either queue, for those that hold quota."""
        if not workload_status.has_quota(self.old) or workload_status.is_evicted(self.old):
            return None
        for queue, reason, kind in (
            (self.around.cluster_queue, words.CLUSTER_QUEUE_STOPPED, "ClusterQueue"),
            (self.around.local_queue, words.LOCAL_QUEUE_STOPPED, "LocalQueue"),
        ):
            policy = stop_policy(queue)
            if policy == "HoldAndDrain":
                return self.evicted(reason, f"The {kind} is stopped")
            if policy == "Hold" and not workload_status.is_admitted(self.old) and queue is not None:
                workload_status.clear_admission(self.workload)
                workload_status.refuse(self.workload, words.ON_HOLD, f"{kind} {name_of(queue)} is stopped", self.now)
                return self.written()
        return None

    def checks(self) -> Due | None:
        """The list of checks follows the flavors; one that asks for a retry evicts, one that rejects deactivates."""
        if not workload_status.has_quota(self.old) or workload_status.is_evicted(self.old):
            return None
        if self.list_checks():
            return self.written()
        states = self.status.get("admissionChecks") or ()
        if retrying := [check for check in states if check["state"] == "Retry"]:
            said = "; ".join(f'"{check["name"]}" ({check["message"]})' for check in retrying)
            self.requeue_after_checks(retrying)
            text = f"Evicted due to AdmissionCheck(s) in Retry state: {said}"
            return self.evicted(words.ADMISSION_CHECK, text)
        if rejected := [check for check in states if check["state"] == "Rejected"]:
            said = "; ".join(f'"{check["name"]}" ({check["message"]})' for check in rejected)
            text = f"Admission check(s): {', '.join(check['name'] for check in rejected)}, were rejected"
            self.set(words.DEACTIVATION_TARGET, "True", words.ADMISSION_CHECK, text)
            said = f"Deactivated due to AdmissionCheck in Rejected state: {said}"
            return self.written([self.note("Warning", "AdmissionCheckRejected", said)])
        return None

    def admitted(self) -> Due | None:
        if not workload_status.has_quota(self.old) or workload_status.is_admitted(self.old):
            return None
        states = self.status.get("admissionChecks") or ()
        if not all(check["state"] == "Ready" for check in states):
            text = (words.UNSATISFIED_CHECKS, words.UNSATISFIED_CHECKS_MESSAGE)
            return self.written() if self.set(words.ADMITTED, "False", *text) else None
        return Due(Plan(status=self.put()), admission_events=[admit(self.workload, self.now)])

    def execution_time(self) -> Due | None:
        limit = self.old["spec"].get("maximumExecutionTimeSeconds")
        since = workload_status.since(self.old, words.ADMITTED)
        if limit is None or since is None or not workload_status.is_admitted(self.old):
            return None
        past = self.status.get("accumulatedPastExecutionTimeSeconds", 0)
        left = limit - past - (self.now - since).total_seconds()
        if left > 0:
            self.look_after(left)
            return None
        text = (words.MAXIMUM_EXECUTION_TIME_EXCEEDED, "exceeding the maximum execution time")
        if not self.set(words.DEACTIVATION_TARGET, "True", *text):
            return None
        said = f"The maximum execution time ({limit}s) exceeded"
        return self.written([self.note("Warning", words.MAXIMUM_EXECUTION_TIME_EXCEEDED, said)])

    def pods_ready_in_time(self) -> Due | None:
        """Pods that do not all get ready give their quota back, and try again later and later."""
        rule = self.config.wait_for_pods_ready
        ready = self.condition(words.PODS_READY)
        admitted = workload_status.since(self.old, words.ADMITTED)
        if not rule.enabled or ready.get("status") != "False" or admitted is None:
            return None
        if not workload_status.is_admitted(self.old) or workload_status.is_evicted(self.old):
            return None
        recovering = ready["reason"] == words.WAIT_FOR_RECOVERY
        since = timestamps.from_text(ready["lastTransitionTime"]) if recovering else admitted
        left = (rule.recovery_timeout if recovering else rule.timeout) - (self.now - since).total_seconds()
        if left > 0:
            self.look_after(left)
            return None
        count = ((self.status.get("requeueState") or {}).get("count") or 0) + 1
        if rule.backoff.limit is not None and count > rule.backoff.limit:
            text = "exceeding the maximum number of re-queuing retries"
            self.set(words.DEACTIVATION_TARGET, "True", words.REQUEUING_LIMIT_EXCEEDED, text)
            return self.written()
        at = self.now + timedelta(seconds=rule.backoff.delay(count))
        self.status["requeueState"] = {"count": count, "requeueAt": timestamps.to_text(at)}
        text = f"Exceeded the PodsReady timeout {namespace_of(self.old)}/{name_of(self.old)}"
        return self.evicted(words.PODS_READY_TIMEOUT, text, cause=ready["reason"])

    def back_in_queue(self) -> Due | None:
        """What was evicted waits in its queue again: after its back-off, or when its queue has started again."""
        requeued = self.condition(words.REQUEUED)
        if requeued.get("status") != "False":
            return None
        reason = requeued["reason"]
        if reason in (words.PODS_READY_TIMEOUT, words.ADMISSION_CHECK):
            at = (self.status.get("requeueState") or {}).get("requeueAt")
            left = (timestamps.from_text(at) - self.now).total_seconds() if at else 0.0
            if left > 0:
                self.look_after(left)
                return None
            if at:
                self.status["requeueState"].pop("requeueAt")
            return self.requeued(words.BACKOFF_FINISHED, "The workload backoff was finished")
        if reason == words.CLUSTER_QUEUE_STOPPED and is_running(self.around.cluster_queue):
            text = "The ClusterQueue was restarted after being stopped"
            return self.requeued(words.CLUSTER_QUEUE_RESTARTED, text)
        if reason == words.LOCAL_QUEUE_STOPPED and is_running(self.around.local_queue):
            text = "The LocalQueue was restarted after being stopped"
            return self.requeued(words.LOCAL_QUEUE_RESTARTED, text)
        return None

    def why_it_waits(self) -> Due | None:
        """What keeps it from the scheduler, or that nothing does any more."""
        if workload_status.has_quota(self.old):
            return None
        found = inadmissible(self.old, self.around)
        if found is None:
            known = self.condition(words.QUOTA_RESERVED).get("reason")
            if known not in WHILE_OUT_OF_QUEUES:
                return None
            if known == words.MISCONFIGURED and self.is_scheduler_s():
                return None
            found = (words.PENDING_EVALUATION, words.PENDING)
        return self.written() if workload_status.refuse(self.workload, *found, self.now) else None

    # What steps are made of.

    def is_scheduler_s(self) -> bool:
        """Whether the reason is one that only the scheduler finds; it stays until the scheduler looks again."""
        message = self.condition(words.QUOTA_RESERVED).get("message") or ""
        return message.startswith("resources ")

    def condition(self, type_: str) -> Object:
        return conditions.find((self.old.get("status") or {}).get("conditions"), type_) or {}

    def set(self, type_: str, status: str, reason: str, message: str) -> bool:
        return workload_status.set_condition(self.workload, type_, status, reason, message, self.now)

    def look_after(self, seconds: float) -> None:
        seconds += LOOK_AGAIN
        self.wait = seconds if self.wait is None else min(self.wait, seconds)

    def list_checks(self) -> bool:
        """Bring ``status.admissionChecks`` in line with the flavors that were assigned; whether it changed."""
        assigned = {
            flavor
            for entry in self.status["admission"].get("podSetAssignments") or ()
            for flavor in (entry.get("flavors") or {}).values()
        }
        wanted = [name for name, only in self.around.flavors_of_checks.items() if not only or only & assigned]
        known = {check["name"]: check for check in self.status.get("admissionChecks") or ()}
        if sorted(wanted) == sorted(known):
            return False
        fresh = {"state": "Pending", "message": "", "lastTransitionTime": timestamps.to_text(self.now)}
        self.status["admissionChecks"] = [known.get(name) or {"name": name, **fresh} for name in sorted(wanted)]
        if not wanted:
            del self.status["admissionChecks"]
        return True

    def requeue_after_checks(self, retrying: list[Object]) -> None:
        """The latest of the moments that the checks ask for."""
        moments = [
            timestamps.from_text(check["lastTransitionTime"]) + timedelta(seconds=check["requeueAfterSeconds"])
            for check in retrying
            if check.get("requeueAfterSeconds")
        ]
        if moments:
            state = self.status.setdefault("requeueState", {})
            state["requeueAt"] = timestamps.to_text(max(moments))

    def evicted(self, reason: str, message: str, cause: str = "") -> Due:
        workload_status.evict(self.workload, reason, message, self.now, cause)
        return self.written([self.evicted_event(reason, message)])

    def evicted_event(self, reason: str, message: str) -> EventNote:
        return self.note("Normal", f"EvictedDueTo{reason}", message)

    def requeued(self, reason: str, message: str) -> Due:
        self.set(words.REQUEUED, "True", reason, message)
        return self.written()

    def note(self, type_: str, reason: str, message: str) -> EventNote:
        return EventNote(referable(self.old), type_, reason, message, action=reason)

    def put(self) -> Update:
        return Update(WORKLOADS, self.workload, "status")

    def written(self, events: list[EventNote] | None = None) -> Due:
        return Due(Plan(status=self.put(), events=events or [], requeue_after=self.wait))


def admit(workload: Object, now: datetime) -> EventNote:
    """Set Admitted=True on ``workload``, which changes and holds quota; the event that tells of it."""
    reserved = workload_status.since(workload, words.QUOTA_RESERVED) or now
    workload_status.set_condition(workload, words.ADMITTED, "True", words.ADMITTED, words.ADMITTED_MESSAGE, now)
    queue = workload["status"]["admission"]["clusterQueue"]
    waited = round((now - reserved).total_seconds())
    text = f"Admitted by ClusterQueue {queue}, wait time since reservation was {waited}s"
    return EventNote(referable(workload), "Normal", words.ADMITTED, text, action=words.ADMITTED)


def inadmissible(workload: Object, around: Surroundings) -> tuple[str, str] | None:
    """(reason, message) of what keeps a Workload out of every queue; None if nothing does."""
    if gates := eligibility.gates(workload):
        return words.ADMISSION_GATED, f"Admission is gated by: {gates}"
    name = workload["spec"].get("queueName") or ""
    if around.local_queue is None:
        return words.MISCONFIGURED, f"LocalQueue {name} doesn't exist"
    if stop_policy(around.local_queue) != "None":
        return words.SUSPENDED, f"LocalQueue {name} is inactive"
    cluster = around.local_queue["spec"].get("clusterQueue") or ""
    if around.cluster_queue is None:
        return words.MISCONFIGURED, f"ClusterQueue {cluster} doesn't exist"
    if conditions.find((around.cluster_queue.get("status") or {}).get("conditions"), "Active") and not (
        conditions.is_true(around.cluster_queue, "Active")
    ):
        return words.SUSPENDED, f"ClusterQueue {cluster} is inactive"
    labels = labels_of(around.namespace or {"metadata": {}})
    if not selectors.matches(around.cluster_queue["spec"].get("namespaceSelector"), labels):
        return words.MISCONFIGURED, reasons.NAMESPACE_MISMATCH
    return None


def stop_policy(queue: Object | None) -> str:
    return str((queue or {"spec": {}})["spec"].get("stopPolicy") or "None")


def is_running(queue: Object | None) -> bool:
    return queue is not None and stop_policy(queue) == "None"


def referable(workload: Object) -> Object:
    """``workload`` as events refer to it."""
    return {"apiVersion": WORKLOADS.api_version, "kind": WORKLOADS.kind, **workload}
