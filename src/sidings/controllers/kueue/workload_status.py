"""Steps in the life of a Workload's status: each takes a Workload of one's own and changes its ``status``.

A condition keeps its transition time while its status stays; ``observedGeneration`` is the Workload's (as in
pkg/workload/workload.go and the conditions package of Kueue v0.19).
"""

from __future__ import annotations

from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.conditions import is_true
from sidings.api.objects import Object
from sidings.controllers.kueue import words

PREVIOUSLY = "Previously: "
DEACTIVATED_DUE_TO = "DeactivatedDueTo"


def set_condition(workload: Object, type_: str, status: str, reason: str, message: str, now: datetime) -> bool:
    """Set one condition; returns whether that changed anything."""
    entry = {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": workload["metadata"].get("generation", 0),
    }
    present: list[Object] = workload.setdefault("status", {}).setdefault("conditions", [])
    old = conditions.find(present, type_)
    if old is None:
        present.append({**entry, "lastTransitionTime": timestamps.to_text(now)})
        return True
    if all(old.get(key) == value for key, value in entry.items()):
        return False
    if old["status"] != status:
        entry["lastTransitionTime"] = timestamps.to_text(now)
    old.update(entry)
    return True


def remove_condition(workload: Object, type_: str) -> None:
    status = workload.get("status") or {}
    if "conditions" in status:
        status["conditions"] = [entry for entry in status["conditions"] if entry["type"] != type_]


def since(workload: Object, type_: str) -> datetime | None:
    """When condition ``type_`` took its present status."""
    condition = conditions.find((workload.get("status") or {}).get("conditions"), type_)
    return timestamps.from_text(condition["lastTransitionTime"]) if condition else None


def is_finished(workload: Object) -> bool:
    return is_true(workload, words.FINISHED)


def is_admitted(workload: Object) -> bool:
    return is_true(workload, words.ADMITTED)


def has_quota(workload: Object) -> bool:
    return is_true(workload, words.QUOTA_RESERVED)


def is_evicted(workload: Object) -> bool:
    return is_true(workload, words.EVICTED)


def is_active(workload: Object) -> bool:
    return workload["spec"].get("active") is not False


def reserve(workload: Object, admission: Object, now: datetime) -> None:
    """Quota is reserved: what went before is history."""
    status = workload.setdefault("status", {})
    status["admission"] = admission
    status.pop("resourceRequests", None)
    message = f"Quota reserved in ClusterQueue {admission['clusterQueue']}"
    set_condition(workload, words.QUOTA_RESERVED, "True", words.QUOTA_RESERVED, message, now)
    for type_ in (words.EVICTED, words.PREEMPTED):
        old = conditions.find(status["conditions"], type_)
        if old and old["status"] == "True":
            set_condition(workload, type_, "False", words.QUOTA_RESERVED, PREVIOUSLY + old["message"], now)


def refuse(workload: Object, reason: str, message: str, now: datetime) -> bool:
    """QuotaReserved=False with a reason, and so not admitted; returns whether that changed anything."""
    changed = set_condition(workload, words.QUOTA_RESERVED, "False", reason, message, now)
    no_reservation = (words.NO_RESERVATION, words.NO_RESERVATION_MESSAGE)
    return set_condition(workload, words.ADMITTED, "False", *no_reservation, now) or changed


def evict(workload: Object, reason: str, message: str, now: datetime, cause: str = "") -> None:
    """Ask for its quota back. ``reason`` is that of the condition Evicted; counted under what it begins with."""
    set_condition(workload, words.EVICTED, "True", reason, message, now)
    counted, within = counted_as(reason)
    cause = cause or within
    statistics = workload["status"].setdefault("schedulingStats", {}).setdefault("evictions", [])
    for entry in statistics:
        if (entry["reason"], entry["underlyingCause"]) == (counted, cause):
            entry["count"] += 1
            return
    statistics.append({"count": 1, "reason": counted, "underlyingCause": cause})


def counted_as(reason: str) -> tuple[str, str]:
    """(reason, underlying cause) under which an eviction is counted: all deactivations are one reason."""
    if reason.startswith(DEACTIVATED_DUE_TO):
        return words.DEACTIVATED, reason.removeprefix(DEACTIVATED_DUE_TO)
    return reason, ""


def release(workload: Object, now: datetime) -> None:
    """Its job has stopped after an eviction: give the quota back, and say whether it queues again."""
    evicted = conditions.find(workload["status"]["conditions"], words.EVICTED)
    assert evicted is not None, "only an evicted workload is released"
    reason, message = evicted["reason"], evicted["message"]
    _count_execution_time(workload, now)
    requeued = "True" if reason in words.RELEASED_AT_ONCE else "False"
    set_condition(workload, words.REQUEUED, requeued, reason, message, now)
    clear_admission(workload)
    refuse(workload, words.PENDING_EVALUATION, message, now)
    for check in workload["status"].get("admissionChecks") or ():
        check.update(
            state="Pending",
            lastTransitionTime=timestamps.to_text(now),
            message=f"Reset to Pending after eviction. Previously: {check['state']}",
        )
        check.pop("podSetUpdates", None)


def clear_admission(workload: Object) -> None:
    for field in ("admission", "clusterName", "unhealthyNodes"):
        workload["status"].pop(field, None)


def finish(workload: Object, reason: str, message: str, now: datetime) -> None:
    set_condition(workload, words.FINISHED, "True", reason, message, now)


def _count_execution_time(workload: Object, now: datetime) -> None:
    """Seconds between admission and now, added to those of earlier admissions."""
    admitted = since(workload, words.ADMITTED)
    if admitted is None or not is_admitted(workload):
        return
    status = workload["status"]
    past = status.get("accumulatedPastExecutionTimeSeconds", 0)
    status["accumulatedPastExecutionTimeSeconds"] = past + round((now - admitted).total_seconds())
