"""The condition PodsReady of a Workload (generatePodsReadyCondition, Kueue v0.19)."""

from __future__ import annotations

from datetime import datetime

from sidings.api import conditions
from sidings.api.objects import Object
from sidings.controllers.kueue import words, workload_status


def update(workload: Object, ready: bool, now: datetime) -> bool:
    """Set the condition as it is due; returns whether it changed. ``ready``: all pods of the job are, or have ended."""
    old = conditions.find((workload.get("status") or {}).get("conditions"), words.PODS_READY) or {}
    status, reason, message = _due(workload, ready, old)
    if (old.get("status"), old.get("reason"), old.get("message")) == (status, reason, message):
        return False
    return workload_status.set_condition(workload, words.PODS_READY, status, reason, message, now)


def _due(workload: Object, ready: bool, old: Object) -> tuple[str, str, str]:
    waits = ("False", words.WAIT_FOR_START, words.WAIT_FOR_START_MESSAGE)
    if not workload_status.is_admitted(workload):
        return waits
    recovering = old.get("status") == "False" and old.get("reason") == words.WAIT_FOR_RECOVERY
    if ready:
        if old.get("status") == "True":
            return "True", old["reason"], old["message"]
        return "True", words.RECOVERED if recovering else words.STARTED, words.STARTED_MESSAGE
    if recovering or old.get("status") == "True":
        return "False", words.WAIT_FOR_RECOVERY, words.WAIT_FOR_RECOVERY_MESSAGE
    return waits
