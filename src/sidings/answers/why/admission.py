"""The Workload's stage: suspended by whom, deactivated, put off, checked; then its queue and its quota."""

from __future__ import annotations

import json
import re
from datetime import timedelta

from sidings.answers import codes, suspension
from sidings.answers.explanations import finding
from sidings.answers.family import Family
from sidings.answers.finding import Finding, place_of
from sidings.answers.standing import Standing, has_quota
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import queues, quota
from sidings.api import conditions, timestamps
from sidings.api.kueue import keys
from sidings.api.objects import Object, key_of, labels_of, name_of
from sidings.queue import workloads

PATIENCE = timedelta(seconds=10)
"""How long a job may be without a Workload before that is worth a word."""
MORE_TIME = 2
"""Times the limit that was used up."""
_BY_CHECK = "AdmissionCheck"
"""How the reason of an eviction by deactivation ends (Kueue v0.19)."""
_COMPOSE_FAILED = "ErrWorkloadCompose"
_NO_PRIORITY_CLASS = re.compile(r'(?:[Ww]orkload)?[Pp]riority[Cc]lass\S* "(?P<name>[^"]+)" not found')
_ACTIVATE = json.dumps({"spec": {"active": True}})


def find(family: Family, workload: Object | None, around: Surroundings, standing: Standing) -> list[Finding]:
    """What keeps the job suspended; nothing where it is not."""
    if not suspension.is_suspended(family.root):
        return _not_released(family, workload, around) if workload is not None and _job_set_waits(family) else []
    key = key_of(family.root)
    local = labels_of(family.root).get(keys.QUEUE_NAME, "")
    if workload is not None:
        return _not_released(family, workload, around) or of_workload(workload, around, standing, family.root)
    if not local:
        remedy = around.sidings("resume", f"{family.kind.lower()}/{key.name}", "-n", key.namespace)
        what = f"{family.kind} {key.name} is suspended, and by no queue"
        return [finding(codes.SUSPENDED, place_of(family.root), what, cause="suspend: true", remedy=remedy)]
    broken = queues.find(around, standing.snapshot, key.namespace, local)
    if broken or not around.knows("Workload"):
        return broken
    return _without_workload(family, around)


def _not_released(family: Family, workload: Object, around: Surroundings) -> list[Finding]:
    """Quota is there, and the job still suspended after a while in which it could have been released."""
    admitted = conditions.find((workload.get("status") or {}).get("conditions"), "Admitted") or {}
    if admitted.get("status") != "True" or not suspension.waits_in_queue(workload):
        return []
    since = str(admitted.get("lastTransitionTime") or "")
    if not since or around.now - timestamps.from_text(since) < PATIENCE:
        return []
    key, kind = key_of(family.root), family.kind
    remedy = around.kubectl(
        "patch",
        kind.lower(),
        key.name,
        "-n",
        key.namespace,
        "--type=merge",
        "-p",
        json.dumps(suspension.change(family.root, False)),
    )
    if _job_set_waits(family):
        kind, remedy = "JobSet", around.kubectl("describe", kind.lower(), key.name, "-n", key.namespace)
    what = f"Workload {name_of(workload)} is admitted since {since}, and {kind} {key.name} still suspended"
    cause = str(family.events[-1].get("message") or "") if family.events else "nothing was said about it"
    return [finding(codes.NOT_RELEASED, place_of(family.root), what, cause=cause, remedy=remedy)]


def _job_set_waits(family: Family) -> bool:
    """Whether a TrainJob was released and could not release its JobSet."""
    job_set = family.job_set
    if job_set is None or job_set is family.root or suspension.is_suspended(family.root):
        return False
    return bool(job_set["spec"].get("suspend"))


def _without_workload(family: Family, around: Surroundings) -> list[Finding]:
    key = key_of(family.root)
    told = [event for event in family.events if event.get("reason") == _COMPOSE_FAILED]
    age = around.now - timestamps.from_text(family.root["metadata"]["creationTimestamp"])
    if not told and age < PATIENCE:
        return []
    cause = str(told[-1].get("message") or "") if told else "nothing was said about it"
    remedy = around.kubectl("describe", family.kind.lower(), key.name, "-n", key.namespace)
    if missing := _NO_PRIORITY_CLASS.search(cause):
        manifest = queues.made(around, "WorkloadPriorityClass", missing["name"], {})
        del manifest["spec"]
        remedy = queues.created(around, {**manifest, "value": 0})
    what = f"there is no Workload of {family.kind} {key.name}, though it names a queue"
    return [finding(codes.NO_WORKLOAD, place_of(family.root), what, cause=cause, remedy=remedy)]


def of_workload(workload: Object, around: Surroundings, standing: Standing, job: Object | None = None) -> list[Finding]:
    """What keeps a Workload from being admitted; nothing where it is, or is about to be. ``job`` owns it."""
    where, (namespace, name) = place_of({"kind": "Workload", **workload}), key_of(workload)
    status = workload.get("status") or {}
    checks = status.get("admissionChecks") or []
    if rejected := [check for check in checks if check["state"] == "Rejected"]:
        what = f"AdmissionCheck {rejected[0]['name']} has rejected it"
        remedy = _activation(around, namespace, name)
        return [finding(codes.CHECK_REJECTED, where, what, cause=rejected[0].get("message") or "", remedy=remedy)]
    if workload["spec"].get("active") is False:
        return [_deactivated(workload, where, around, job)]
    if conditions.is_true(workload, "Admitted") or conditions.is_true(workload, "Finished"):
        return []
    if has_quota(workload):
        return _checked(checks, where, namespace, name, around)
    later = (status.get("requeueState") or {}).get("requeueAt")
    if later and timestamps.from_text(later) > around.now:
        evicted = conditions.find(status.get("conditions"), "Evicted") or {}
        cause = f"{evicted.get('reason') or 'Evicted'}: {evicted.get('message') or ''}"
        remedy = around.kubectl("get", "workload", name, "-n", namespace, "-w")
        return [finding(codes.BACKS_OFF, where, f"it is queued again at {later}", cause=cause, remedy=remedy)]
    return _in_queue(workload, around, standing, job)


def _deactivated(workload: Object, where: str, around: Surroundings, job: Object | None) -> Finding:
    """By whom, as far as its eviction tells.

    Of one whose time is used up the limit is raised, and the Workload made anew.
    """
    namespace, name = key_of(workload)
    told = (workload.get("status") or {}).get("conditions")
    condition = conditions.find(told, "Evicted") or conditions.find(told, "QuotaReserved") or {}
    reason, cause = str(condition.get("reason") or ""), str(condition.get("message") or "")
    remedy = _activation(around, namespace, name)
    if reason.endswith(_BY_CHECK):
        what = "an AdmissionCheck has rejected it"
        return finding(codes.CHECK_REJECTED, where, what, cause=cause, remedy=remedy)
    limit = workload["spec"].get("maximumExecutionTimeSeconds")
    if suspension.has_used_its_time(workload) and limit and job is not None:
        label = f"{keys.MAX_EXECUTION_SECONDS}={limit * MORE_TIME}"
        labelled = around.kubectl("label", job["kind"].lower(), name_of(job), "-n", namespace, label, "--overwrite")
        remedy = f"{labelled} && {around.kubectl('delete', 'workload', name, '-n', namespace)}"
    what = f"Workload {name} is deactivated (spec.active: false)"
    return finding(codes.DEACTIVATED, where, what, cause=cause, remedy=remedy)


def _activation(around: Surroundings, namespace: str, name: str) -> str:
    return around.kubectl("patch", "workload", name, "-n", namespace, "--type=merge", "-p", _ACTIVATE)


def _checked(checks: list[Object], where: str, namespace: str, name: str, around: Surroundings) -> list[Finding]:
    remedy = around.kubectl("describe", "workload", name, "-n", namespace)
    return [
        finding(
            codes.CHECK_PENDING,
            where,
            f"quota is reserved, AdmissionCheck {check['name']} is {check['state']}",
            cause=check.get("message") or "",
            remedy=remedy,
        )
        for check in checks
        if check["state"] != "Ready"
    ]


def _in_queue(workload: Object, around: Surroundings, standing: Standing, job: Object | None) -> list[Finding]:
    namespace = key_of(workload).namespace
    local = str(workload["spec"].get("queueName") or "")
    wanted = workloads.of_object(workload)
    if broken := queues.find(around, standing.snapshot, namespace, local, job, wanted.pod_sets):
        return broken
    name = queues.cluster_queue_of(around, namespace, local)
    if name not in standing.snapshot.queues:
        return _as_told(workload, around)
    _, found = quota.find(around, standing.snapshot, wanted, name, standing.waiting, around.preemption, job)
    return found


def _as_told(workload: Object, around: Surroundings) -> list[Finding]:
    """Queues cannot be read: what Kueue itself says."""
    reserved = conditions.find((workload.get("status") or {}).get("conditions"), "QuotaReserved") or {}
    if not reserved.get("message"):
        return []
    key = key_of(workload)
    what = f"Kueue says: {reserved.get('reason')}; its queues cannot be read here"
    remedy = around.kubectl("describe", "workload", key.name, "-n", key.namespace)
    where = f"Workload {key.namespace}/{name_of(workload)}"
    return [finding(codes.QUEUE_SAYS, where, what, cause=str(reserved["message"]), remedy=remedy)]
