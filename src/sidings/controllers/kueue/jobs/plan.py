"""The handshake between a job and its Workload, one step at a time (pkg/controller/jobframework/reconciler.go, v0.19).

Every write wakes the controller again, so a pass returns the first step that is due and nothing beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sidings.api import conditions
from sidings.api.kueue import keys
from sidings.api.kueue.configuration import Configuration
from sidings.api.objects import Object, controller_ref, copy_of, is_deleting, labels_of, name_of, namespace_of, uid_of
from sidings.api.resources import WORKLOADS
from sidings.controllers.kueue import words, workload_status
from sidings.controllers.kueue.jobs import matching, names, pod_set_info, pods_ready, prebuilt, priority
from sidings.controllers.kueue.jobs.integration import BuildError, Integration
from sidings.controllers.kueue.jobs.pod_set_info import PodSetConflict
from sidings.controllers.runtime.plan import Create, Delete, EventNote, Patch, Plan, Update
from sidings.queue import eligibility

COMPOSE_FAILED = "ErrWorkloadCompose"
CREATED = "CreatedWorkload"
UPDATED = "UpdatedWorkload"
DELETED = "DeletedWorkload"
FINISHED = "FinishedWorkload"
STARTED = "Started"
STOPPED = "Stopped"
SUSPENDED = "Suspended"

NOT_ADMITTED = "Not admitted by cluster queue"
WORKLOAD_DELETED = "Workload is deleted"
NO_MATCH = "No matching Workload; restoring pod templates according to existent Workload"
MISSING = "Missing Workload; unable to restore pod templates"
CHILD_SUSPENDED = "Kueue managed child job suspended"
DEACTIVATED_DELETED = "Deleted job of a workload that Kueue deactivated, due to elapsed retention"


@dataclass(frozen=True)
class Snapshot:
    """A job and all that decides about it."""

    job: Object
    workloads: Sequence[Object]
    """Those it controls, or the one that it names as prebuilt, if nothing else controls that."""
    made_from: Object | None = None
    parent_admitted: bool | None = None
    """Of a job that a managed job controls: whether that one may run. None for a job of its own."""
    flavors: Mapping[str, Object] = field(default_factory=dict)
    workload_classes: Mapping[str, Object] = field(default_factory=dict)
    pod_classes: Mapping[str, Object] = field(default_factory=dict)


def plan(kind: Integration, snapshot: Snapshot, config: Configuration, now: datetime) -> Plan:
    """The step that is due."""
    return _Handshake(kind, snapshot, config, now).step()


class _Handshake:
    def __init__(self, kind: Integration, snapshot: Snapshot, config: Configuration, now: datetime) -> None:
        self.kind = kind
        self.snapshot = snapshot
        self.config = config
        self.now = now
        self.job = snapshot.job

    def step(self) -> Plan:
        if self.snapshot.parent_admitted is not None:
            return self._follow_parent(self.snapshot.parent_admitted)
        if is_deleting(self.job):
            return self._drop_finalizers(self.snapshot.workloads)
        outcome = self.kind.outcome(self.job)
        try:
            pod_sets = self.kind.pod_sets(self.job, self.snapshot.made_from) if outcome is None else []
        except BuildError as error:
            return Plan(events=[self._note("Warning", COMPOSE_FAILED, str(error))])
        deleted = [workload for workload in self.snapshot.workloads if is_deleting(workload)]
        if deleted:
            return self._let_go(deleted[0])
        workload, surplus = self._find(pod_sets)
        if outcome is not None:
            return self._finish(workload, outcome.success, outcome.message)
        if prebuilt.name_of(self.job):
            return self._prebuilt(workload, surplus)
        if surplus:
            return self._resolve(workload, surplus, pod_sets)
        if workload is None:
            return self._compose(pod_sets)
        return self._reprioritise(workload) or self._follow(workload)

    def _follow(self, workload: Object) -> Plan:
        if workload_status.is_finished(workload):
            return self._drop_finalizers([workload])
        return self._report(workload) or self._drive(workload)

    # Which Workload is the job's.

    def _prebuilt(self, fitting: Object | None, other: Sequence[Object]) -> Plan:
        """The job makes no Workload and changes none; without the one that it names it does not run."""
        workload = fitting or next(iter(other), None)
        if workload is None:
            return self._stop((), prebuilt.MISSING) or Plan()
        if adopted := prebuilt.adoption(workload, self._referable_job()):
            return adopted
        if fitting is None:
            stop = self._stop(workload["spec"]["podSets"], prebuilt.MISSING)
            return stop or prebuilt.out_of_sync(workload, self.now)
        return self._follow(workload)

    def _find(self, pod_sets: Sequence[Object]) -> tuple[Object | None, list[Object]]:
        """(the Workload that fits the job as it is, those that do not)."""
        fitting, surplus = None, []
        running = not self.kind.is_suspended(self.job)
        for workload in self.snapshot.workloads:
            ended = not pod_sets or workload_status.is_finished(workload)
            if fitting is None and (ended or matching.matches(workload, self.job, pod_sets, running=running)):
                fitting = workload
            else:
                surplus.append(workload)
        return fitting, surplus

    def _resolve(self, workload: Object | None, surplus: Sequence[Object], pod_sets: Sequence[Object]) -> Plan:
        """The job changed: its Workload follows while it waits, else it stops and its Workload goes."""
        first = surplus[0]
        suspended = self.kind.is_suspended(self.job)
        if workload is None and suspended and not workload_status.has_quota(first):
            changed = copy_of(first)
            try:
                changed["spec"] = {**self._spec(pod_sets), "active": workload_status.is_active(first)}
            except BuildError as error:
                return Plan(events=[self._note("Warning", COMPOSE_FAILED, str(error))])
            text = f"Updated not matching Workload for suspended job: {_path(first)}"
            return Plan(updates=[Update(WORKLOADS, changed)], events=[self._note("Normal", UPDATED, text)])
        if workload is None and (stop := self._stop(first["spec"]["podSets"], NO_MATCH)):
            return stop
        if held := self._without_finalizers(surplus):
            return Plan(updates=held)
        return Plan(
            deletes=[Delete(WORKLOADS, entry) for entry in surplus],
            events=[self._note("Normal", DELETED, f"Deleted not matching Workload: {_path(e)}") for e in surplus],
        )

    def _compose(self, pod_sets: Sequence[Object]) -> Plan:
        """The job has no Workload yet. One that runs without is stopped first."""
        if not self.kind.is_suspended(self.job):
            return self._stop((), MISSING) or Plan()
        if self.kind.is_active(self.job):
            return Plan()
        try:
            spec = self._spec(pod_sets)
        except BuildError as error:
            return Plan(events=[self._note("Warning", COMPOSE_FAILED, str(error))])
        workload = self._new_workload(spec)
        text = f"Created Workload: {_path(workload)}"
        return Plan(creates=[Create(WORKLOADS, workload)], events=[self._note("Normal", CREATED, text)])

    def _new_workload(self, spec: Object) -> Object:
        resource, uid = self.kind.resource, uid_of(self.job)
        name = names.workload_name(resource.kind, resource.group, name_of(self.job), uid)
        gates = eligibility.gates(self.job)
        return {
            "apiVersion": WORKLOADS.api_version,
            "kind": WORKLOADS.kind,
            "metadata": {
                "name": name,
                "namespace": namespace_of(self.job),
                "labels": {**self.config.management.labels_to_copy(self.job), keys.JOB_UID: uid},
                **({"annotations": {keys.ADMISSION_GATED_BY: gates}} if gates else {}),
                "finalizers": [keys.RESOURCE_IN_USE],
                "ownerReferences": [controller_ref(self._referable_job())],
            },
            "spec": spec,
        }

    def _spec(self, pod_sets: Sequence[Object]) -> Object:
        found = self._priority(pod_sets)
        spec: Object = {"podSets": list(pod_sets), "priority": found.value, "active": True}
        if queue := queue_of(self.job):
            spec["queueName"] = queue
        if found.reference:
            spec["priorityClassRef"] = found.reference
        if (limit := matching.execution_limit(self.job)) is not None:
            spec["maximumExecutionTimeSeconds"] = limit
        return spec

    def _priority(self, pod_sets: Sequence[Object]) -> priority.Priority:
        named = self.kind.priority_class(self.job)
        return priority.of_job(self.job, named, pod_sets, self.snapshot.workload_classes, self.snapshot.pod_classes)

    # What the Workload should know of the job.

    def _report(self, workload: Object) -> Plan | None:
        """Pods that are done, and whether all are ready."""
        if self.kind.is_ending(self.job):
            return None
        changed = copy_of(workload)
        status = changed.setdefault("status", {})
        reclaimable = self.kind.reclaimable(self.job, self.snapshot.made_from)
        news = bool(reclaimable) and reclaimable != (status.get("reclaimablePods") or [])
        if news:
            status["reclaimablePods"] = reclaimable
        if self.config.wait_for_pods_ready.enabled:
            ready = self.kind.pods_ready(self.job, self.snapshot.made_from)
            news = pods_ready.update(changed, ready, self.now) or news
        return Plan(status=Update(WORKLOADS, changed, "status")) if news else None

    def _finish(self, workload: Object | None, success: bool, message: str) -> Plan:
        if workload is None:
            return Plan()
        if workload_status.is_finished(workload):
            return self._drop_finalizers([workload])
        changed = copy_of(workload)
        workload_status.finish(changed, words.SUCCEEDED if success else words.FAILED, message, self.now)
        text = f"Workload '{_path(workload)}' is declared finished"
        return Plan(status=Update(WORKLOADS, changed, "status"), events=[self._note("Normal", FINISHED, text)])

    # Start and stop.

    def _drive(self, workload: Object) -> Plan:
        if workload_status.is_evicted(workload) and workload_status.has_quota(workload):
            return self._evict(workload)
        if workload_status.is_admitted(workload):
            return self._start(workload) if self.kind.is_suspended(self.job) else Plan()
        if (left := self._retained(workload)) is not None:
            return self._delete() if left <= 0 else Plan(requeue_after=left)
        if stop := self._stop(workload["spec"]["podSets"], NOT_ADMITTED):
            return stop
        return self._follow_job(workload)

    def _retained(self, workload: Object) -> float | None:
        """Seconds for which a job that Kueue itself deactivated is kept; None where it is kept for ever."""
        seconds = self.config.retention.after_deactivated
        evicted = conditions.find((workload.get("status") or {}).get("conditions"), words.EVICTED) or {}
        by_kueue = evicted.get("status") == "True" and evicted["reason"].startswith(workload_status.DEACTIVATED_DUE_TO)
        since = workload_status.since(workload, words.EVICTED)
        if seconds is None or since is None or not by_kueue or not self.kind.is_suspended(self.job):
            return None
        return seconds - (self.now - since).total_seconds()

    def _delete(self) -> Plan:
        note = self._note("Normal", words.DELETED, DEACTIVATED_DELETED)
        return Plan(deletes=[Delete(self.kind.resource, self.job)], events=[note])

    def _evict(self, workload: Object) -> Plan:
        evicted = conditions.find(workload["status"]["conditions"], words.EVICTED) or {}
        if stop := self._stop(workload["spec"]["podSets"], evicted.get("message") or ""):
            return stop
        if self.kind.is_active(self.job):
            return Plan()
        changed = copy_of(workload)
        workload_status.release(changed, self.now)
        return Plan(status=Update(WORKLOADS, changed, "status"))

    def _start(self, workload: Object) -> Plan:
        try:
            infos = pod_set_info.of_admission(workload, self.snapshot.flavors)
            job = self.kind.started(self.job, infos)
        except KeyError as error:
            return self._cannot_start(workload, f"ResourceFlavor {error} not found")
        except PodSetConflict as error:
            return self._cannot_start(workload, str(error))
        events = []
        if not self.kind.is_suspended(job):
            queue = workload["status"]["admission"]["clusterQueue"]
            events.append(self._note("Normal", STARTED, f"Admitted by clusterQueue {queue}"))
        return Plan(updates=[Update(self.kind.resource, job)], events=events)

    def _cannot_start(self, workload: Object, message: str) -> Plan:
        """No retry mends it: the Workload is finished and its quota free again."""
        changed = copy_of(workload)
        workload_status.finish(changed, words.FAILED_TO_START, message, self.now)
        return Plan(status=Update(WORKLOADS, changed, "status"))

    def _stop(self, pod_sets: Sequence[Object], message: str) -> Plan | None:
        """The next write on the way to a suspended job with its own templates; None once it is there."""
        step = self.kind.stopped(self.job, pod_sets)
        if step is None:
            return None
        runs = not self.kind.is_suspended(self.job)
        events = [self._note("Normal", STOPPED, message)] if runs else []
        return Plan(updates=[Update(self.kind.resource, step.obj, step.subresource)], events=events)

    def _let_go(self, workload: Object) -> Plan:
        """Somebody deleted the Workload: the job stops, and gets a new one when this one has gone."""
        if stop := self._stop(workload["spec"]["podSets"], WORKLOAD_DELETED):
            return stop
        return self._drop_finalizers([workload])

    def _follow_job(self, workload: Object) -> Plan:
        """The job waits: another queue is taken over, and whether it is gated."""
        queue, gates = queue_of(self.job), eligibility.gates(self.job)
        known = (workload["spec"].get("queueName") or "", eligibility.gates(workload))
        if prebuilt.name_of(self.job) or known == (queue, gates):
            return Plan()
        changed = copy_of(workload)
        if known[0] != queue:
            changed["spec"]["queueName"] = queue
        changed["metadata"].setdefault("annotations", {}).pop(keys.ADMISSION_GATED_BY, None)
        if gates:
            changed["metadata"]["annotations"][keys.ADMISSION_GATED_BY] = gates
        return Plan(updates=[Update(WORKLOADS, changed)])

    def _reprioritise(self, workload: Object) -> Plan | None:
        """The job names another WorkloadPriorityClass, whether it waits or runs: who may be preempted changes at once.

        One that does not exist changes nothing; nor does any where the PriorityClass of the pods decides.
        """
        known = workload["spec"].get("priorityClassRef") or {"kind": priority.WORKLOAD_CLASS, "name": ""}
        wanted = labels_of(self.job).get(keys.PRIORITY_CLASS, "")
        if known["kind"] != priority.WORKLOAD_CLASS or known["name"] == wanted:
            return None
        try:
            found = self._priority(workload["spec"]["podSets"])
        except BuildError:
            return None
        changed = copy_of(workload)
        changed["spec"]["priority"] = found.value
        changed["spec"].pop("priorityClassRef", None)
        if found.reference:
            changed["spec"]["priorityClassRef"] = found.reference
        text = f"Updated workload priority class: {_path(workload)}"
        return Plan(updates=[Update(WORKLOADS, changed)], events=[self._note("Normal", UPDATED, text)])

    def _follow_parent(self, admitted: bool) -> Plan:
        """A job inside a managed job asks for nothing itself; it is held until its parent may run."""
        if admitted or self.kind.is_suspended(self.job) or self.kind.outcome(self.job) is not None:
            return Plan()
        step = self.kind.stopped(self.job, ())
        if step is None:
            return Plan()
        note = self._note("Normal", SUSPENDED, CHILD_SUSPENDED)
        return Plan(updates=[Update(self.kind.resource, step.obj, step.subresource)], events=[note])

    def _drop_finalizers(self, workloads: Sequence[Object]) -> Plan:
        return Plan(updates=self._without_finalizers(workloads))

    def _without_finalizers(self, workloads: Sequence[Object]) -> list[Update | Patch]:
        updates: list[Update | Patch] = []
        for workload in workloads:
            finalizers = workload["metadata"].get("finalizers") or []
            if keys.RESOURCE_IN_USE in finalizers:
                changed = copy_of(workload)
                changed["metadata"]["finalizers"] = [name for name in finalizers if name != keys.RESOURCE_IN_USE]
                updates.append(Update(WORKLOADS, changed))
        return updates

    def _note(self, type_: str, reason: str, message: str) -> EventNote:
        return EventNote(self._referable_job(), type_, reason, message, action=reason)

    def _referable_job(self) -> Object:
        resource = self.kind.resource
        return {"apiVersion": resource.api_version, "kind": resource.kind, **self.job}


def queue_of(job: Object) -> str:
    """The LocalQueue that the job names."""
    return labels_of(job).get(keys.QUEUE_NAME, "")


def _path(workload: Object) -> str:
    return f"{namespace_of(workload)}/{name_of(workload)}"
