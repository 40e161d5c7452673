"""``runPolicy.suspend``: all pods and Services go, and come anew when it is taken back.

The start time stays while a job is suspended and is set anew when it goes on, so the deadline starts anew.
"""

from __future__ import annotations

from sidings.api import conditions
from sidings.api.training_operator import words
from sidings.controllers.training_operator.report import RESUMED, Report
from sidings.controllers.training_operator.snapshot import Snapshot


def suspend(snapshot: Snapshot, report: Report) -> None:
    """The status of a job that is suspended: nothing is active, what ended stays counted."""
    for entry in (report.status.get("replicaStatuses") or {}).values():
        entry.pop("active", None)
    message = f"{report.kind} {snapshot.name} is suspended."
    if conditions.find(report.status.get("conditions"), words.RUNNING) is not None:
        report.put(words.RUNNING, message, status="False", word=words.SUSPENDED, tell=False)
    report.put(words.SUSPENDED, message)


def resume(snapshot: Snapshot, report: Report) -> None:
    """Take the suspension back, where there was one."""
    if report.holds(words.SUSPENDED):
        report.put(words.SUSPENDED, f"{report.kind} {snapshot.name} is resumed.", status="False", word=RESUMED)
        report.start()
