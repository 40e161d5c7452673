"""The handshake between a group of pods and its Workload, one step at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sidings.api import conditions
from sidings.api.kueue import keys, pods
from sidings.api.kueue.configuration import Configuration
from sidings.api.objects import Object, controller_ref, copy_of, is_deleting, name_of, namespace_of, uid_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import PODS, WORKLOADS
from sidings.controllers.kueue import words, workload_status
from sidings.controllers.kueue.jobs import matching, pod_set_info, pods_ready, priority
from sidings.controllers.kueue.jobs.integration import BuildError
from sidings.controllers.kueue.jobs.plan import COMPOSE_FAILED, CREATED, FINISHED, STARTED, STOPPED
from sidings.controllers.kueue.jobs.pod_set_info import PodSetConflict
from sidings.controllers.kueue.pods.group import Group
from sidings.controllers.runtime.plan import Create, Delete, EventNote, Patch, Plan, Update

EXCESS_DELETED = "ExcessPodDeleted"


@dataclass(frozen=True)
class Snapshot:
    """A group, its Workload if there is one, and what both refer to."""

    group: Group
    workload: Object | None
    flavors: Mapping[str, Object] = field(default_factory=dict)
    workload_classes: Mapping[str, Object] = field(default_factory=dict)
    pod_classes: Mapping[str, Object] = field(default_factory=dict)


def plan(snapshot: Snapshot, config: Configuration, now: datetime) -> Plan:
    """The step that is due."""
    step = _Handshake(snapshot, config, now)
    workload = snapshot.workload
    if departing := step.depart():
        return departing
    if workload is not None and (is_deleting(workload) or workload_status.is_finished(workload)):
        return step.let_go(workload)
    if workload is None:
        return step.compose()
    return step.finish(workload) or step.tidy() or step.report(workload) or step.drive(workload)


class _Handshake:
    def __init__(self, snapshot: Snapshot, config: Configuration, now: datetime) -> None:
        self.snapshot = snapshot
        self.group = snapshot.group
        self.config = config
        self.now = now

    def depart(self) -> Plan | None:
        """A pod that is deleted before it could run, or before anybody counts its group, is held by nothing."""
        uncounted = self.snapshot.workload is None
        going = [pod for pod in self.group.members if is_deleting(pod) and (uncounted or pods.is_gated(pod))]
        updates = _released(going)
        return Plan(updates=updates) if updates else None

    def compose(self) -> Plan:
        """Ask for quota as soon as the group is complete."""
        group = self.group
        if group.outcome() is not None:
            return Plan(updates=_released(group.members))
        if len(group.runnable) < group.total and not (group.admits_early and group.runnable):
            text = f"'{group.name}' group has fewer runnable pods than expected"
            return Plan(events=[_note(group.first, "Warning", COMPOSE_FAILED, text)])
        try:
            workload = self._workload()
        except BuildError as error:
            return Plan(events=[_note(group.first, "Warning", COMPOSE_FAILED, str(error))])
        text = f"Created Workload: {namespace_of(group.first)}/{group.workload_name}"
        return Plan(creates=[Create(WORKLOADS, workload)], events=[_note(group.first, "Normal", CREATED, text)])

    def _workload(self) -> Object:
        group = self.group
        pod_sets = group.pod_sets()
        found = priority.of_job(group.first, "", pod_sets, self.snapshot.workload_classes, self.snapshot.pod_classes)
        spec: Object = {"podSets": pod_sets, "priority": found.value, "active": True, "queueName": group.queue}
        if found.reference:
            spec["priorityClassRef"] = found.reference
        if (limit := matching.execution_limit(group.first)) is not None:
            spec["maximumExecutionTimeSeconds"] = limit
        return {
            "apiVersion": WORKLOADS.api_version,
            "kind": WORKLOADS.kind,
            "metadata": {
                "name": group.workload_name,
                "namespace": namespace_of(group.first),
                "labels": {
                    **self.config.management.labels_to_copy(group.first),
                    **({} if group.name else {keys.JOB_UID: uid_of(group.first)}),
                },
                "annotations": {keys.IS_GROUP_WORKLOAD: "true"} if group.name else {},
                "finalizers": [keys.RESOURCE_IN_USE],
                "ownerReferences": self._owners(),
            },
            "spec": spec,
        }

    def _owners(self) -> list[Object]:
        """The pod controls its Workload; a group's belongs to all of its pods and is controlled by none."""
        references = [controller_ref({"apiVersion": "v1", "kind": "Pod", **pod}) for pod in self.group.members]
        if self.group.name:
            references = [{key: it[key] for key in ("apiVersion", "kind", "name", "uid")} for it in references]
        return references

    def finish(self, workload: Object) -> Plan | None:
        outcome = self.group.outcome()
        if outcome is None:
            return None
        changed = copy_of(workload)
        reason = words.SUCCEEDED if outcome.success else words.FAILED
        workload_status.finish(changed, reason, outcome.message, self.now)
        text = f"Workload '{namespace_of(workload)}/{name_of(workload)}' is declared finished"
        note = _note(self.group.first, "Normal", FINISHED, text)
        return Plan(status=Update(WORKLOADS, changed, "status"), events=[note])

    def tidy(self) -> Plan | None:
        """Pods that the group has no room for go."""
        excess = self.group.excess()
        if not excess:
            return None
        notes = [_note(pod, "Normal", EXCESS_DELETED, "Excess pod deleted") for pod in excess]
        return Plan(deletes=[Delete(PODS, pod) for pod in excess], updates=_released(excess), events=notes)

    def report(self, workload: Object) -> Plan | None:
        changed = copy_of(workload)
        news = False
        reclaimable = self.group.reclaimable()
        if reclaimable and reclaimable != changed.setdefault("status", {}).get("reclaimablePods"):
            changed["status"]["reclaimablePods"] = reclaimable
            news = True
        if self.config.wait_for_pods_ready.enabled:
            news = pods_ready.update(changed, self.group.all_ready(), self.now) or news
        return Plan(status=Update(WORKLOADS, changed, "status")) if news else None

    def drive(self, workload: Object) -> Plan:
        if workload_status.is_evicted(workload) and workload_status.has_quota(workload):
            return self._evict(workload)
        if not workload_status.is_admitted(workload):
            started = [pod for pod in self.group.runnable if not pods.is_gated(pod)]
            return self._stop(started, "Not admitted by cluster queue") if started else Plan()
        return self._start(workload)

    def _start(self, workload: Object) -> Plan:
        gated = [pod for pod in self.group.runnable if pods.is_gated(pod)]
        if not gated:
            return Plan()
        try:
            infos = {info.name: info for info in pod_set_info.of_admission(workload, self.snapshot.flavors)}
            started = [_started(pod, infos[self.group.role(pod)]) for pod in gated if self.group.role(pod) in infos]
        except KeyError as error:
            return self._cannot_start(workload, f"ResourceFlavor {error} not found")
        except PodSetConflict as error:
            return self._cannot_start(workload, str(error))
        text = f"Admitted by clusterQueue {workload['status']['admission']['clusterQueue']}"
        return Plan(
            updates=[Update(PODS, pod) for pod in started],
            events=[_note(pod, "Normal", STARTED, text) for pod in started],
        )

    def _cannot_start(self, workload: Object, message: str) -> Plan:
        changed = copy_of(workload)
        workload_status.finish(changed, words.FAILED_TO_START, message, self.now)
        return Plan(status=Update(WORKLOADS, changed, "status"))

    def _evict(self, workload: Object) -> Plan:
        """Pods cannot be stopped: they are deleted, and who made them makes others."""
        evicted = conditions.find(workload["status"]["conditions"], words.EVICTED) or {}
        going = [pod for pod in self.group.members if not has_ended(pod) and not is_deleting(pod)]
        if going:
            return self._stop(going, evicted.get("message") or "")
        if self.group.is_active:
            return Plan(updates=_released([pod for pod in self.group.members if is_deleting(pod)]))
        changed = copy_of(workload)
        workload_status.release(changed, self.now)
        return Plan(
            updates=_released([pod for pod in self.group.members if is_deleting(pod)]),
            status=Update(WORKLOADS, changed, "status"),
        )

    def _stop(self, going: Sequence[Object], message: str) -> Plan:
        return Plan(
            deletes=[Delete(PODS, pod) for pod in going],
            updates=_released(going),
            events=[_note(pod, "Normal", STOPPED, message) for pod in going],
        )

    def let_go(self, workload: Object) -> Plan:
        """Over, or deleted by somebody: neither the pods nor the Workload are held any more."""
        if is_deleting(workload) and not workload_status.is_finished(workload):
            going = [pod for pod in self.group.runnable if not pods.is_gated(pod)]
            if going:
                return self._stop(going, "Workload is deleted")
        updates = _released([pod for pod in self.group.members if has_ended(pod) or is_deleting(pod)])
        finalizers = workload["metadata"].get("finalizers") or []
        if keys.RESOURCE_IN_USE in finalizers:
            changed = copy_of(workload)
            changed["metadata"]["finalizers"] = [name for name in finalizers if name != keys.RESOURCE_IN_USE]
            updates.append(Update(WORKLOADS, changed))
        return Plan(updates=updates)


def _started(pod: Object, info: pod_set_info.PodSetInfo) -> Object:
    changed: Object = copy_of(pod)
    pod_set_info.apply(changed, info)
    gates = [gate for gate in changed["spec"].get("schedulingGates") or () if gate["name"] != keys.ADMISSION_GATE]
    changed["spec"]["schedulingGates"] = gates
    if not gates:
        del changed["spec"]["schedulingGates"]
    return changed


def _released(members: Sequence[Object]) -> list[Update | Patch]:
    """Take the queue's finalizer off, by what the list is: a pod may be changed by others at any time."""
    found: list[Update | Patch] = []
    for pod in members:
        finalizers = pod["metadata"].get("finalizers") or []
        if keys.MANAGED in finalizers:
            kept = [name for name in finalizers if name != keys.MANAGED]
            body = {"metadata": {"finalizers": kept or None, "uid": pod["metadata"]["uid"]}}
            found.append(Patch(PODS, namespace_of(pod), name_of(pod), body))
    return found


def _note(pod: Object, type_: str, reason: str, message: str) -> EventNote:
    return EventNote({"apiVersion": "v1", "kind": "Pod", **pod}, type_, reason, message, action=reason)
